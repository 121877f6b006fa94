/** The writes that an adapter commits, as plain data that can cross threads. */
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { TokenRecord } from '../domain/principal.ts';
import { textLengthOf } from '../domain/plant.ts';
import type { NewPlant, Plant, PlantPatch } from '../domain/schemas.ts';
import type { Condition, EditOutcome, ImportRules, PlantEdit, RowOutcome } from '../domain/store.ts';
import type { DeliveryRecord, WebhookProgress, WebhookRecord, WebhookSettings } from '../domain/webhooks.ts';

export type PlantWrite =
  | (ByAuthor & { readonly kind: 'create'; readonly plant: NewPlant })
  | (ByAuthor & { readonly kind: 'put'; readonly plant: NewPlant; readonly condition: Condition })
  | (ByAuthor & {
      readonly kind: 'patch';
      readonly id: bigint;
      readonly patch: PlantPatch;
      readonly condition: Condition;
    })
  | (ByAuthor & { readonly kind: 'delete'; readonly id: bigint; readonly condition: Condition })
  | (Origin & { readonly kind: 'import'; readonly rows: readonly NewPlant[]; readonly rules: ImportRules })
  | (ByAuthor & { readonly kind: 'edit'; readonly rows: readonly PlantEdit[]; readonly group: string });

interface ByAuthor {
  /** The id of the token that wrote it. */
  readonly by?: string | undefined;
}

/** Where a change of a plant comes from: each `PlantWrite` has it. */
export interface Origin extends ByAuthor {
  readonly group?: string | undefined;
}

export type TokenWrite =
  | {
      readonly kind: 'insert-token';
      readonly token: TokenRecord;
      readonly onlyFirst: boolean;
      readonly countMax?: number | undefined;
    }
  | { readonly kind: 'revoke-token'; readonly id: string; readonly revokedAt: number }
  | { readonly kind: 'touch-token'; readonly id: string; readonly usedAt: number };

export type WebhookWrite =
  | { readonly kind: 'insert-webhook'; readonly webhook: WebhookRecord }
  | { readonly kind: 'save-settings'; readonly settings: WebhookSettings }
  | {
      readonly kind: 'save-progress';
      readonly webhook: string;
      readonly progress: WebhookProgress;
      readonly delivery?: DeliveryRecord | undefined;
    }
  | {
      readonly kind: 'replace-delivery';
      readonly webhook: string;
      readonly from: DeliveryRecord;
      readonly to: DeliveryRecord;
    }
  | { readonly kind: 'delete-webhook'; readonly id: string };

export type Write = PlantWrite | TokenWrite | WebhookWrite;

/** The result of each kind of write. */
interface Results {
  readonly create: 'created' | 'replayed';
  readonly put: 'created' | 'replaced' | 'unchanged';
  readonly patch: NewPlant;
  readonly delete: 'deleted';
  readonly import: readonly RowOutcome[];
  readonly edit: readonly EditOutcome[];
  /** Whether it was stored. */
  readonly 'insert-token': boolean;
  /** Whether the token exists. */
  readonly 'revoke-token': boolean;
  readonly 'touch-token': 'touched';
  /** Whether it was stored. */
  readonly 'insert-webhook': boolean;
  /** Whether it had the expected version. */
  readonly 'save-settings': boolean;
  /** Whether it had the expected step. */
  readonly 'save-progress': boolean;
  /** Whether it was as expected. */
  readonly 'replace-delivery': boolean;
  /** Whether it existed. */
  readonly 'delete-webhook': boolean;
}

/** What a write returns once it is committed. */
export type Result<Kind extends Write = Write> = Results[Kind['kind']];

/** Refuses one write; the other writes of its commit are stored. */
export interface Refusal {
  readonly refused: ErrorCode;
  /** For the log, if the code alone does not say enough. */
  readonly reason?: string;
}

/**
 * Commits writes in order, usually in one transaction. It takes more on Citus, one for each bucket;
 * on PostgreSQL, for creates whose ids are taken; and after a failure by a bug of ours, one for each
 * write. Resolves to one result per write once it is on disk.
 * @throws ServiceError if nothing was committed (`store_full`), or that is unknown
 * (`store_failed`).
 */
export type CommitWrites = (writes: readonly Write[]) => Promise<readonly (Result | Refusal)[]>;

export function isRefusal(result: Result | Refusal): result is Refusal {
  return typeof result === 'object' && 'refused' in result;
}

export function refuse(code: ErrorCode): Refusal {
  return { refused: code };
}

/** Returns the error with which a refused write rejects. */
export function toServiceError({ refused, reason }: Refusal): ServiceError {
  return new ServiceError(refused, { cause: reason === undefined ? undefined : new Error(reason) });
}

export function isTokenWrite(write: Write): write is TokenWrite {
  return write.kind === 'insert-token' || write.kind === 'revoke-token' || write.kind === 'touch-token';
}

const plantWrites: ReadonlySet<string> = new Set<PlantWrite['kind']>([
  'create',
  'put',
  'patch',
  'delete',
  'import',
  'edit',
]);

export function isPlantWrite(write: Write): write is PlantWrite {
  return plantWrites.has(write.kind);
}

/** Returns what a write reads or changes. Writes that share a key keep their order. */
export function keysOf(write: Write): readonly (bigint | string)[] {
  if (isPlantWrite(write)) return idsOf(write);
  return isTokenWrite(write) ? ['tokens'] : ['webhooks'];
}

/** Returns the ids that a write reads or changes. */
export function idsOf(write: PlantWrite): readonly bigint[] {
  switch (write.kind) {
    case 'create':
    case 'put':
      return [write.plant.id];
    case 'patch':
    case 'delete':
      return [write.id];
    case 'import':
    case 'edit':
      return write.rows.map(({ id }) => id);
  }
}

/** Returns how many plants, tokens or webhooks the writes are about. */
export function countRows(writes: readonly Write[]): number {
  return writes.reduce((sum, write) => sum + ('rows' in write ? write.rows.length : 1), 0);
}

/** Estimated overhead of a write's objects, in bytes. */
const overheadBytes = 200;

/** Estimates the memory of a write in bytes: two per UTF-16 unit, plus overhead. */
export function bytesOf(write: Write): number {
  switch (write.kind) {
    case 'create':
    case 'put':
      return bytesOfPlant(write.plant);
    case 'patch':
      return bytesOfPlant(write.patch);
    case 'save-settings':
      return overheadBytes + 2 * write.settings.url.length;
    case 'save-progress':
      return overheadBytes + 2 * (write.delivery?.body?.length ?? 0);
    case 'replace-delivery':
      return overheadBytes + 4 * (write.from.body?.length ?? 0);
    case 'import':
      return write.rows.reduce((sum, row) => sum + bytesOfPlant(row), overheadBytes);
    case 'edit':
      return write.rows.reduce(
        (sum, { from, to }) => sum + bytesOfPlant(from ?? {}) + bytesOfPlant(to ?? {}),
        overheadBytes,
      );
    default:
      return overheadBytes;
  }
}

function bytesOfPlant(plant: Plant | PlantPatch): number {
  return overheadBytes + 2 * textLengthOf(plant);
}
