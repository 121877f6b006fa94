/** Chooses the adapter of the store port for a service or a command. The sandbox has stores in memory. */
import type { Store, TokenStore } from '../domain/store.ts';
import type { LogFields } from '../observe/log.ts';
import { LineLimit } from '../observe/line-limit.ts';
import { StateLine } from '../observe/state-line.ts';
import type { ClusterEvent } from './postgres/connect/cluster-event.ts';
import type { QueuedStoreOptions } from './queued-store.ts';
import { openSqliteStore, openSqliteTokens } from './sqlite/open-sqlite-store.ts';
import type { StoreLocation } from './store-location.ts';

export interface StoreOptions extends QueuedStoreOptions {
  /** Whether to bring the tables of a database up to date first. A folder always is. */
  readonly migrate?: boolean;
  /** Called with notices for the operator. */
  readonly onNotice?: OnNotice | undefined;
}

type OnNotice = (message: string, level: 'info' | 'warn' | 'error', fields?: LogFields) => void;

/** After this long without another refusal or wait for a lock, its state has ended, in milliseconds. */
const quietMs = 60_000;

/**
 * Opens the store; in a folder it creates what is missing. A database need not be reachable:
 * requests are refused until it is.
 * @throws Error with one clear line if it cannot be opened.
 */
export async function openStore(
  location: StoreLocation,
  { migrate, onNotice, ...queued }: StoreOptions,
): Promise<Store> {
  if ('folder' in location) return openSqliteStore(location.folder, { ...queued, onNotice });
  // Loaded only for a database: it takes longer than all of SQLite.
  const { openStoreAt } = await import('./postgres/with-database.ts');
  return openStoreAt(location, {
    ...queued,
    migrate,
    onEvent: toEventListener(onNotice ?? (() => undefined)),
  });
}

/** Lines about hosts and commits: a database that comes and goes does not fill a disk. */
const lineLimits = { linesMax: 10, periodMs: 60_000 };

/**
 * What goes on until it ends is a line when it begins and one when it has ended. Of other events,
 * those beyond the limit are counted, and the last one is reported with their number.
 */
export function toEventListener(onNotice: OnNotice): (event: ClusterEvent) => void {
  const at = (level: 'info' | 'warn' | 'error') => (fields: LogFields, message: string) =>
    onNotice(message, level, fields);
  const log = { info: at('info'), warn: at('warn'), error: at('error') };
  const open = (began: string, ended: string, more?: { level: 'warn' }): StateLine =>
    new StateLine(log, () => performance.now(), { began, ended, quietMs, ...more });
  const refused = {
    connection: open('The database refuses a connection', 'The database has refused no connection for a minute'),
    statement: open('The database refuses a statement', 'The database has refused no statement for a minute'),
  };
  const locked = open('Requests wait for a lock in the database', 'No request has waited for a lock for a minute', {
    level: 'warn',
  });
  const note = (state: StateLine, fields: LogFields): void => {
    state.note(fields);
    state.end();
  };
  let last: Parameters<OnNotice> | undefined;
  const limit = new LineLimit(lineLimits, (leftOut) => {
    if (last !== undefined) onNotice(last[0], last[1], { leftOut });
  });
  const notifyLimited: OnNotice = (message, level) => {
    if (limit.take()) onNotice(message, level);
    else last = [message, level];
  };
  return (event) => {
    if (event.kind === 'migrated') onNotice(`The tables were brought up to date (schema ${event.schema})`, 'info');
    else if (event.kind === 'found') notifyLimited(`The database host ${event.host} accepts writes`, 'info');
    else if (event.kind === 'lost') notifyLimited(`Cannot use the database: ${event.reason.message}`, 'error');
    else if (event.kind === 'refused') note(refused[event.what], { reason: event.reason.message });
    else if (event.kind === 'blocked') note(locked, { by: event.by });
    else notifyLimited(`It is unknown whether writes were committed: ${event.reason.message}`, 'warn');
  };
}

/**
 * Opens only the tokens, with or without running services.
 * @throws Error with one clear line if there is no store.
 */
export async function openTokenStore(location: StoreLocation): Promise<{ tokens: TokenStore; close(): Promise<void> }> {
  if ('folder' in location) return openSqliteTokens(location.folder);
  return openStore(location, { limits: { writesMax: 1_000, bytesMax: 1_048_576 } });
}
