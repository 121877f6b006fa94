/** A line of the activity: who did what to which plants, and a button to undo it. */
import { type Change, importPrefix, renamePrefix, undoPrefix } from '../../../src/client/client.ts';
import { askAboveFew, undoKind } from '../actions/bulk-actions.ts';
import { useRunningBatch } from '../actions/run-batch.ts';
import { useSession } from '../session/session.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { TagChip } from '../ui/plant-text.tsx';
import { Author, Difference, toVerb } from '../copy/change-text.tsx';
import { type Entry, isTagging, toUndoText } from './group-changes.ts';
import { JoinedLines, PlantLink, PlantMore } from './joined-lines.tsx';
import { undoLogged } from '../actions/restore-plant.ts';
import { showGroup, shownMax } from '../actions/show-group.ts';

interface LineProps {
  readonly entry: Entry;
}

export function ActivityLine({ entry }: LineProps) {
  const { client, canWrite } = useSession();
  const isBusy = useRunningBatch() !== undefined;
  const { line, count, isCut, kinds, canUndo, undone } = entry;
  const [change] = line;
  if (change === undefined) return null;
  const { group, kind, at, by } = change;
  const isOne = count === 1 && line.length === 1 && !isCut;
  const isUndone = undone >= count && !isCut;
  const undo = (one: Change): void => {
    if (group === undefined) void undoLogged(client, one);
    else {
      const what = group.startsWith(importPrefix) ? 'the import' : 'the change';
      askAboveFew(count, {
        text: `Undo ${what} of ${toPlants(entry)}? ${toUndoText(entry)} You can undo that, too.`,
        yes: 'Undo',
        onYes: () => void undoKind(client, group, kinds.size > 1 ? undefined : kind),
      });
    }
  };
  const undoButton = (one: Change) => (
    <Button kind="quiet" icon="restore" disabled={isBusy} onClick={() => undo(one)}>
      Undo
    </Button>
  );
  return (
    <li class={isUndone ? 'event is-undone' : 'event'}>
      {isOne ? (
        <p>
          <Author by={by} /> {toVerb(change)} <ChangedPlant change={change} />
        </p>
      ) : (
        <JoinedLines
          summary={
            <>
              <Author by={by} /> <Done entry={entry} />
            </>
          }
          items={line}
          total={count}
        >
          {(each) => (
            <>
              <ChangedPlant change={each} />
              <PlantMore id={each.id} tag={each.kind === 'replaced' ? undefined : (each.plant ?? each.before)?.tag} />
              {canWrite && group === undefined && canUndo.has(each) && undoButton(each)}
              {each.kind === 'replaced' && <Difference change={each} />}
            </>
          )}
        </JoinedLines>
      )}
      <span class="soft">
        {undone > 0 && !isCut ? (isUndone ? 'undone' : 'partly undone') : canUndo.size === 0 && 'changed since'}
      </span>
      <Ago at={at} />
      <span>
        {group !== undefined && kind !== 'deleted' && !isOne && !isUndone && count <= shownMax && (
          <Button kind="quiet" icon="plants" onClick={() => void showGroup(client, group, count, line)}>
            Show
          </Button>
        )}
      </span>
      <span>{canWrite && canUndo.size > 0 && !isUndone && (group !== undefined || isOne) && undoButton(change)}</span>
      {isOne && kind === 'replaced' && <Difference change={change} />}
    </li>
  );
}

function ChangedPlant({ change: { id, plant, before } }: { readonly change: Change }) {
  return <PlantLink plant={{ id, name: (plant ?? before)?.name ?? '' }} />;
}

function toPlants({ count, isCut }: Entry): string {
  return isCut ? `${toGrouped(count)}+ plants` : toCount(count, 'plant');
}

function Done({ entry, isUndone = false }: LineProps & { readonly isUndone?: boolean }) {
  const { line, count, isCut, kinds, undoes } = entry;
  const plants = toPlants(entry);
  const [change] = line;
  if (change === undefined) return null;
  const { group = '', plant, before } = change;
  const kind = kinds.size > 1 ? 'replaced' : change.kind;
  const say = (done: string, undone: string): string => (isUndone ? `undid the ${undone} of` : done);
  if (group.startsWith(importPrefix)) return <>{`${say('imported', 'import')} ${plants}`}</>;
  const again = undoes?.undoes;
  if (undoes !== undefined && (again !== undefined || kind !== 'created'))
    return (
      <>
        <Done entry={{ ...(again ?? undoes), count, isCut }} isUndone={again === undefined} />
        {again !== undefined && ' again'}
      </>
    );
  // What an undo gave back to those that were not read may be another tag.
  const isUnsure = group.startsWith(undoPrefix) && (isCut || line.length < count);
  if (!isTagging(line) || isUnsure) {
    const undone = kind === 'created' ? 'restoring' : 'change';
    return <>{`${say(toVerb({ ...change, kind }), undone)} ${plants}`}</>;
  }
  const from = group.startsWith(renamePrefix) && <TagChip tag={before?.tag} />;
  if (plant?.tag === undefined)
    return (
      <>
        {say('removed', 'removal')} the tag {from} of {plants}
      </>
    );
  return (
    <>
      {from ? `${say('renamed', 'renaming')} the tag of` : say('tagged', 'tagging')} {plants} {from}{' '}
      {from ? '→' : 'with'} <TagChip tag={plant.tag} />
    </>
  );
}
