/**
 * The disk as it may be after a loss of power at a chosen event of a recording: what was synced is there, and of the rest whatever the
 * system may have written until then, in any order and in parts. Opening it is not done here.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Random } from '../../crash/random.ts';
import { Content } from './content.ts';
import type { DiskEvent, FileId, Recording } from './recording.ts';

/** What of the changes that were not synced has reached the disk. */
export const survivals = [
  /** Nothing. */
  'nothing',
  /** All. */
  'everything',
  /** The first writes, and a part of the next one. */
  'prefix',
  /** Any of the writes, each complete. */
  'some',
  /** Any sectors of any of them. */
  'torn',
  /** The lengths of files, with zeros for the content. */
  'lengths',
] as const;
export type Survival = (typeof survivals)[number];

type Change = DiskEvent & { readonly kind: 'write' | 'resize' };
type NameChange = DiskEvent & { readonly kind: 'name' | 'unname' | 'rename' };

interface File {
  readonly durable: Content;
  pending: Change[];
}

/** A unit that a disk writes completely or not at all, in bytes. */
const sectorBytes = 512;

export class Disk {
  readonly #root: string;
  /** By the place from which they count: a sync promises nothing before it has returned. */
  readonly #timeline: readonly { readonly place: number; readonly event: DiskEvent }[];
  readonly #files: Map<FileId, File>;
  readonly #names: Map<string, FileId | 'folder'>;
  #pendingNames: NameChange[] = [];
  #next = 0;

  constructor(recording: Recording) {
    this.#root = recording.root;
    this.#timeline = recording.events
      .map((event) => ({ place: event.kind.startsWith('sync') ? event.end : event.at, event }))
      .sort((one, other) => one.place - other.place);
    this.#names = new Map(recording.names);
    this.#files = new Map(
      [...recording.contents].map(([file, bytes]) => [file, { durable: new Content(bytes), pending: [] }]),
    );
  }

  /** Takes in all that happened before this place of the trace. Places must ascend. */
  advanceTo(place: number): void {
    for (
      let item = this.#timeline[this.#next];
      item !== undefined && item.place < place;
      item = this.#timeline[this.#next]
    ) {
      this.#next += 1;
      const { event } = item;
      switch (event.kind) {
        case 'write':
        case 'resize':
          this.#fileOf(event.file).pending.push(event);
          break;
        case 'sync':
          this.#sync(event);
          break;
        case 'name':
        case 'unname':
        case 'rename':
          this.#pendingNames.push(event);
          break;
        case 'sync-folder':
          this.#syncFolder(event);
          break;
        case 'send':
          break;
      }
    }
  }

  /** Writes the disk to a folder that does not exist yet, in place of the recorded one. */
  rebuild(target: string, survival: Survival, random: Random): void {
    const names = new Map(this.#names);
    const keptNames =
      survival === 'nothing'
        ? 0
        : survival === 'everything'
          ? this.#pendingNames.length
          : random.integer(0, this.#pendingNames.length);
    for (const change of this.#pendingNames.slice(0, keptNames)) applyName(names, change);
    mkdirSync(target);
    const toTarget = (path: string): string => join(target, relative(this.#root, path));
    const isReachable = (path: string): boolean => {
      const folder = dirname(path);
      return folder === this.#root || (names.get(folder) === 'folder' && isReachable(folder));
    };
    const reachable = [...names].filter(([path]) => isReachable(path)).sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [path, file] of reachable) {
      if (file === 'folder') mkdirSync(toTarget(path), { mode: 0o700 });
      else writeFileSync(toTarget(path), this.#read(file, survival, random), { mode: 0o600 });
    }
  }

  #read(file: FileId, survival: Survival, random: Random): Buffer {
    const { durable, pending } = this.#fileOf(file);
    const content = new Content(durable.read());
    const kept = survival === 'prefix' ? random.integer(0, pending.length) : pending.length;
    for (const [index, change] of pending.entries()) {
      if (survival === 'nothing') break;
      if (survival === 'some' && random.integer(0, 1) === 0) continue;
      if (survival === 'prefix' && index > kept) break;
      if (change.kind === 'resize') content.resize(change.size);
      else if (survival === 'lengths') content.resize(Math.max(content.size, change.offset + change.data.length));
      else if (survival === 'torn' || (survival === 'prefix' && index === kept)) writeTorn(content, change, random);
      else content.write(change.offset, change.data);
    }
    return content.read();
  }

  #sync({ file, at }: DiskEvent & { readonly kind: 'sync' }): void {
    const synced = this.#fileOf(file);
    // A write that ran beside the sync may have come too late for it.
    for (const change of synced.pending.filter(({ end }) => end < at)) {
      if (change.kind === 'resize') synced.durable.resize(change.size);
      else synced.durable.write(change.offset, change.data);
    }
    synced.pending = synced.pending.filter(({ end }) => end >= at);
  }

  #syncFolder({ path, at }: DiskEvent & { readonly kind: 'sync-folder' }): void {
    const isSynced = (change: NameChange): boolean =>
      change.end < at && dirname(change.kind === 'rename' ? change.to : change.path) === path;
    for (const change of this.#pendingNames.filter(isSynced)) applyName(this.#names, change);
    this.#pendingNames = this.#pendingNames.filter((change) => !isSynced(change));
  }

  #fileOf(file: FileId): File {
    const known = this.#files.get(file) ?? { durable: new Content(), pending: [] };
    this.#files.set(file, known);
    return known;
  }
}

function applyName(names: Map<string, FileId | 'folder'>, change: NameChange): void {
  if (change.kind === 'unname') names.delete(change.path);
  else if (change.kind === 'name') names.set(change.path, change.file);
  else {
    names.set(change.to, change.file);
    names.delete(change.from);
  }
}

function writeTorn(content: Content, { offset, data }: Change & { kind: 'write' }, random: Random): void {
  for (let from = 0; from < data.length;) {
    const to = Math.min(data.length, from + sectorBytes - ((offset + from) % sectorBytes));
    if (random.integer(0, 1) === 1) content.write(offset + from, data.subarray(from, to));
    from = to;
  }
}
