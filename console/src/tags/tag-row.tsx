/** A tag, and what can be done with it in all plants that have it. Asks before tags become one, or one is lost. */
import { tagLink } from '../route.ts';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PlantClient, TagCount } from '../../../src/client/client.ts';
import { askAboveFew, tagPlants, undoText } from '../actions/bulk-actions.ts';
import { useRunningBatch } from '../actions/run-batch.ts';
import { TagForm } from '../form/tag-form.tsx';
import type { ListedTag } from '../copy/tag-search.ts';
import { ask } from '../session/ask.tsx';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { toCount } from '../ui/numbers.ts';
import { TagDot, toQuoted } from '../ui/plant-text.tsx';
import { showFailure } from '../session/show-failure.ts';
import { toVisibleText } from './visible-text.ts';

interface RowProps {
  readonly tag: ListedTag;
  /** The tag that another becomes: it gets the focus once it is shown, unless something is typed. */
  readonly target: { current: string | undefined };
}

export function TagRow({ tag: listed, target }: RowProps) {
  const { client, canWrite } = useSession();
  const { tag, plants, variant, better } = listed;
  const isBusy = useRunningBatch() !== undefined;
  const [isRenaming, setRenaming] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const name = toName(listed);
  const ofTag = <span class="for-readers"> {name}</span>;

  useLayoutEffect(() => {
    if (target.current !== tag) return;
    target.current = undefined;
    if (document.activeElement?.matches('input') !== true) row.current?.querySelector('a')?.focus();
  });
  /** The focus goes back to the tag. */
  const close = (): void => {
    setRenaming(false);
    row.current?.querySelector('a')?.focus();
  };
  /** @param next undefined removes the tag. */
  const change = (next?: string, done = ''): void => {
    target.current = next;
    tagPlants(client, { source: { tag }, total: plants }, next, `${name} ${done}`);
  };
  const rename = (next: string): void =>
    void (next !== tag && askToRename(client, listed, next, (done) => change(next, done)));
  const askToRemove = (): void =>
    ask({
      text: `Remove ${name} from ${toCount(plants, 'plant')}? ${undoText}`,
      yes: 'Remove',
      kind: 'danger',
      onYes: () => change(),
    });
  return (
    <li ref={row} class={variant === undefined ? 'tag-row' : `tag-row is-variant is-${variant}`}>
      <a {...tagLink(tag)}>
        <TagDot tag={tag} />
        {tag === '' ? <span class="no-text">empty tag</span> : <bdi class="cut">{toVisibleText(tag)}</bdi>}
        <span class="soft">{toCount(plants, 'plant')}</span>
      </a>
      {canWrite && !isRenaming && (
        <div class="tag-actions">
          {better !== undefined && (
            <Button disabled={isBusy} onClick={() => rename(better)}>
              {better === tag.trim() ? 'Trim' : `Change to ${toName({ tag: better })}`}
              {ofTag}
            </Button>
          )}
          <Button kind="quiet" icon="edit" disabled={isBusy} onClick={() => setRenaming(true)}>
            Rename or merge{ofTag}
          </Button>
          <Button kind="quiet" icon="bin" disabled={isBusy} onClick={askToRemove}>
            Remove{ofTag}
          </Button>
        </div>
      )}
      {isRenaming && (
        <TagForm label={`New name of ${name}`} initial={tag} yes="Rename" onTag={rename} onClose={close} />
      )}
    </li>
  );
}

/** Asks, unless the plants are few and the new tag is not in use. */
async function askToRename(
  client: PlantClient,
  listed: TagCount,
  next: string,
  rename: (done: string) => void,
): Promise<void> {
  const name = toName(listed);
  const all = `${name} (${toCount(listed.plants, 'plant')})`;
  try {
    const [first] = (await client.tagsPage({ prefix: next, pageSize: 1 })).items;
    if (first?.tag === next) {
      const into = `${toName(first)} (${toCount(first.plants, 'plant')})`;
      ask({ text: `Merge ${all} into ${into}? ${undoText}`, yes: 'Merge', onYes: () => rename('merged into') });
    } else {
      const text = `Rename ${all} to ${toQuoted(next)}? ${undoText}`;
      askAboveFew(listed.plants, { text, yes: 'Rename', onYes: () => rename('renamed to') });
    }
  } catch (error) {
    showFailure(error, `${name} was not renamed.`);
  }
}

function toName({ tag }: Pick<TagCount, 'tag'>): string {
  return tag === '' ? 'the empty tag' : toQuoted(toVisibleText(tag));
}
