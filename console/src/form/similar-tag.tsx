/** Warns of a tag in use that differs from a typed one in capitals, accents and spaces alone. */
import { useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { toCount } from '../ui/numbers.ts';
import { TagChip } from '../ui/plant-text.tsx';
import { findSimilarTag } from '../copy/tag-search.ts';
import { tally } from '../copy/tags.ts';

interface SimilarProps {
  readonly tag: string;
  readonly onUse: (tag: string) => void;
}

export function SimilarTag({ tag, onUse }: SimilarProps) {
  const similar = findSimilarTag(tag, useValue(tally)?.tags ?? []);
  if (similar === undefined) return null;
  return (
    <p class="note note-warn similar">
      <span>
        <TagChip tag={similar.tag} /> is in use for {toCount(similar.plants, 'plant')}.
      </span>
      <Button kind="quiet" onClick={() => onUse(similar.tag)}>
        Use it
      </Button>
    </p>
  );
}
