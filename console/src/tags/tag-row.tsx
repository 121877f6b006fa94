/** A tag, and what can be done with it in all plants that have it. Asks before tags become one, or one is lost. */
import { tagLink } from '../link.ts';
import { useRef, useState } from 'preact/hooks';
import type { TagCount } from '../../../src/client/client.ts';
import { tagPlants } from '../many/bulk-actions.ts';
import { useRunningBatch } from '../many/run-batch.ts';
import { TagForm } from '../form/tag-form.tsx';
import type { ListedTag } from '../copy/tag-search.ts';
import { toReason } from '../session/reasons.ts';
import { noteError, useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { toCount } from '../ui/numbers.ts';
import { TagDot, toQuoted } from '../ui/plant-text.tsx';
import { Question } from '../ui/question.tsx';
import { showToast } from '../session/toasts.tsx';
import { toVisibleText } from './visible-text.ts';

/** What is asked: a new name, whether to merge into another tag, or whether to remove it. */
type Asked = 'name' | TagCount | 'remove';

export function TagRow({ tag: listed }: { readonly tag: ListedTag }) {
  const { client, canWrite } = useSession();
  const { tag, plants, variant, better } = listed;
  const isBusy = useRunningBatch() !== undefined;
  const [question, setQuestion] = useState<Asked | undefined>(undefined);
  const row = useRef<HTMLLIElement>(null);
  const name = toName(listed);
  const ofTag = <span class="for-readers"> {name}</span>;

  /** The focus goes back to the tag. */
  const close = (): void => {
    setQuestion(undefined);
    row.current?.querySelector('a')?.focus();
  };
  /** @param next undefined removes the tag. */
  const change = (next: string | undefined): void => {
    close();
    tagPlants(client, { source: { tag }, total: plants }, next, name);
  };
  const rename = async (next: string): Promise<void> => {
    if (next === tag) return;
    try {
      const [first] = (await client.tagsPage({ prefix: next, pageSize: 1 })).items;
      if (first?.tag === next) setQuestion(first);
      else change(next);
    } catch (error) {
      noteError(error, 'read');
      showToast({ text: `${name} was not renamed. ${toReason(error)}`, isBad: true });
    }
  };
  return (
    <li ref={row} class={variant === undefined ? 'tag-row' : `tag-row is-variant is-${variant}`}>
      <a {...tagLink(tag)}>
        <TagDot tag={tag} />
        {tag === '' ? <span class="no-text">empty tag</span> : <bdi class="cut">{toVisibleText(tag)}</bdi>}
        <span class="soft">{toCount(plants, 'plant')}</span>
      </a>
      {canWrite && question === undefined && (
        <div class="tag-actions">
          {better !== undefined && (
            <Button disabled={isBusy} onClick={() => void rename(better)}>
              {better === tag.trim() ? 'Trim' : `Change to ${toName({ tag: better })}`}
              {ofTag}
            </Button>
          )}
          <Button kind="quiet" icon="edit" disabled={isBusy} onClick={() => setQuestion('name')}>
            Rename or merge{ofTag}
          </Button>
          <Button kind="quiet" icon="bin" disabled={isBusy} onClick={() => setQuestion('remove')}>
            Remove{ofTag}
          </Button>
        </div>
      )}
      {question === 'name' && (
        <TagForm
          label={`New name of ${name}`}
          initial={tag}
          yes="Rename"
          onTag={(next) => void rename(next)}
          onClose={close}
        />
      )}
      {question === 'remove' && (
        <Question
          text={`Remove ${name} from ${toCount(plants, 'plant')}?`}
          yes="Remove"
          onYes={() => change(undefined)}
          onNo={close}
        />
      )}
      {typeof question === 'object' && (
        <Question
          text={`Merge ${name} (${toCount(plants, 'plant')}) into ${toName(question)} (${toCount(question.plants, 'plant')})?`}
          yes="Merge"
          onYes={() => change(question.tag)}
          onNo={close}
        />
      )}
    </li>
  );
}

function toName({ tag }: Pick<TagCount, 'tag'>): string {
  return tag === '' ? 'the empty tag' : toQuoted(toVisibleText(tag));
}
