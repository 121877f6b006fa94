/** Rules about the content of a plant that every adapter applies. */
import type { Plant, PlantPatch, StoredPlant } from '../domain/schemas.ts';

/** One change of one plant; `before` and `after` are absent where there is no plant. */
export interface PlantChange {
  readonly id: bigint;
  readonly before?: StoredPlant | undefined;
  readonly after?: StoredPlant | undefined;
  /** The id of the token that wrote it. */
  readonly by: string | undefined;
}

/** Returns whether two plants have the same content, code point for code point. */
export function areEqual(one: Plant, other: Plant): boolean {
  return one.name === other.name && one.tag === other.tag;
}

/** Applies a merge patch (RFC 7396). */
export function applyPatch({ id, name, tag }: StoredPlant, patch: PlantPatch): StoredPlant {
  const newTag = patch.tag === undefined ? tag : (patch.tag ?? undefined);
  return { id, name: patch.name ?? name, ...(newTag === undefined ? {} : { tag: newTag }) };
}
