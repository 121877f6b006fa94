/** The writes that an adapter commits, as plain data that can cross a thread. How they are batched is not said here. */
import type { ErrorCode } from '../domain/errors.ts';
import type { TokenRecord } from '../domain/principal.ts';
import type { NewPlant } from '../domain/schemas.ts';

export type Write =
  | { readonly kind: 'create'; readonly plant: NewPlant }
  | { readonly kind: 'insert-token'; readonly token: TokenRecord; readonly onlyFirst: boolean }
  | { readonly kind: 'revoke-token'; readonly id: string; readonly revokedAt: number }
  | { readonly kind: 'touch-token'; readonly id: string; readonly usedAt: number };

/** What a write came to. A refusal concerns its own write only; its neighbours in the batch are committed. */
export type Outcome = 'created' | 'replayed' | 'done' | 'unchanged' | Refusal;

export interface Refusal {
  readonly refused: ErrorCode;
}

/** Roughly what a write holds in memory, in bytes: two a UTF-16 unit and a flat sum for the objects around it. */
export function bytesOf(write: Write): number {
  return write.kind === 'create' ? 200 + 2 * (write.plant.name.length + (write.plant.tag?.length ?? 0)) : 1000;
}
