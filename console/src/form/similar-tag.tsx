/** Warns of a tag in use that differs from a typed one in capitals, accents and spaces alone. */
import { useRef } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { toCount } from '../ui/numbers.ts';
import { TagChip } from '../ui/plant-text.tsx';
import { findSimilarTag } from '../copy/tag-search.ts';
import { tally } from '../copy/tags.ts';

export function SimilarTag({ tag, onUse }: { readonly tag: string; readonly onUse: (tag: string) => void }) {
  const similar = findSimilarTag(tag, useValue(tally)?.tags ?? []);
  const note = useRef<HTMLParagraphElement>(null);
  if (similar === undefined) return null;
  const end = (act: () => void): void => {
    // The note goes, and with it the button.
    note.current?.closest('form, [role=row]')?.querySelector<HTMLElement>('[role=combobox]')?.focus();
    act();
  };
  return (
    <p key={tag} ref={note} class="note note-warn similar">
      <span>
        <TagChip tag={similar.tag} /> is in use for {toCount(similar.plants, 'plant')}.
      </span>
      <Button kind="quiet" onClick={() => end(() => onUse(similar.tag))}>
        Use it
      </Button>
      <Button kind="quiet" onClick={() => end(() => note.current?.classList.add('is-seen', 'is-kept'))}>
        Keep mine
      </Button>
    </p>
  );
}

/**
 * Call for Enter in a tag field of this form. The first one leads to the offer of a tag that is in use, if there is one: then this returns
 * true, and nothing is to be saved. The next Enter in the field saves what was typed.
 */
export function leadToOffer(form: ParentNode | null): boolean {
  const offer = form?.querySelector<HTMLElement>('.similar:not(.is-seen)');
  if (offer === null || offer === undefined || document.activeElement?.matches('[role=combobox]') !== true)
    return false;
  offer.classList.add('is-seen');
  offer.querySelector('button')?.focus();
  return true;
}
