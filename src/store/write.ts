/** The writes that an adapter commits, as plain data that can cross a thread. How they are batched is not said here. */
import type { ErrorCode } from '../domain/errors.ts';
import type { TokenRecord } from '../domain/principal.ts';
import type { NewPlant, PlantPatch } from '../domain/schemas.ts';
import type { Condition, ImportOptions, RowOutcome } from '../domain/store.ts';

export type Write =
  | { readonly kind: 'create'; readonly plant: NewPlant }
  | { readonly kind: 'put'; readonly plant: NewPlant; readonly condition: Condition }
  | { readonly kind: 'patch'; readonly id: bigint; readonly patch: PlantPatch; readonly condition: Condition }
  | { readonly kind: 'delete'; readonly id: bigint; readonly condition: Condition }
  | { readonly kind: 'import'; readonly rows: readonly NewPlant[]; readonly options: ImportOptions }
  | { readonly kind: 'insert-token'; readonly token: TokenRecord; readonly onlyFirst: boolean }
  | { readonly kind: 'revoke-token'; readonly id: string; readonly revokedAt: number }
  | { readonly kind: 'touch-token'; readonly id: string; readonly usedAt: number };

/** What each kind of write comes to once it is committed. */
export interface Results {
  readonly create: 'created' | 'replayed';
  readonly put: 'created' | 'replaced' | 'unchanged';
  readonly patch: NewPlant;
  readonly delete: 'deleted';
  readonly import: readonly RowOutcome[];
  /** Whether it was stored. */
  readonly 'insert-token': boolean;
  /** Whether a token has this id. */
  readonly 'revoke-token': boolean;
  readonly 'touch-token': 'touched';
}

export type Result = Results[Write['kind']];

/** A refusal concerns its own write only; the other writes of the batch are committed. */
export interface Refusal {
  readonly refused: ErrorCode;
  /** For the log, where the code alone does not say enough. */
  readonly reason?: string;
}

export function isRefusal(outcome: Result | Refusal): outcome is Refusal {
  return typeof outcome === 'object' && 'refused' in outcome;
}

/** What a write reads or changes: writes that share a key take effect in the order in which they were submitted. */
export function keysOf(write: Write): readonly (bigint | string)[] {
  switch (write.kind) {
    case 'create':
    case 'put':
      return [write.plant.id];
    case 'patch':
    case 'delete':
      return [write.id];
    case 'import':
      return write.rows.map(({ id }) => id);
    default:
      return ['tokens'];
  }
}

/** A flat sum for the objects around a write's texts, in bytes. */
const bytesOfFrame = 200;

/** Roughly what a write holds in memory, in bytes: two a UTF-16 unit, and the frame. */
export function bytesOf(write: Write): number {
  switch (write.kind) {
    case 'create':
    case 'put':
      return bytesOfPlant(write.plant);
    case 'patch':
      return bytesOfFrame + 2 * ((write.patch.name?.length ?? 0) + (write.patch.tag?.length ?? 0));
    case 'import':
      return write.rows.reduce((sum, row) => sum + bytesOfPlant(row), bytesOfFrame);
    default:
      return bytesOfFrame;
  }
}

function bytesOfPlant({ name, tag }: NewPlant): number {
  return bytesOfFrame + 2 * (name.length + (tag?.length ?? 0));
}
