/** What takes the place of the list: failed, offline, nothing found, no plants yet. */
import type { StoredPlant } from '../../../src/client/client.ts';
import { compares, matches, toRow } from '../copy/order.ts';
import { useValue } from '../observable.ts';
import { navigate, plantLink, route, toLink, viewChange } from '../route.ts';
import { connection } from '../session/connection.ts';
import { isAway, toReason } from '../session/reasons.ts';
import { useSession } from '../session/session.ts';
import { useLoaded } from '../session/use-loaded.ts';
import { Button } from '../ui/button.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../session/notice.tsx';
import { toQuoted } from '../ui/plant-text.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import type { ShownList } from './use-list.ts';

/** While the service is not responding the banner above has the button, and the list loads by itself afterwards. */
export function ListFailed({ list: { copy, shown } }: { readonly list: ShownList }) {
  const isNow = useValue(connection).isAway;
  const { error } = copy.state;
  if (!isAway(error)) return <LoadFailed what="all plants" reason={toReason(error)} onRetry={() => copy.retry()} />;
  if (!isNow || copy.isLoaded || shown.rows.length > 0) return null;
  return (
    <Notice icon="offline" title="Offline">
      <p>The list will load automatically when the service responds.</p>
    </Notice>
  );
}

export function CutLine({ list: { shown, count } }: { readonly list: ShownList }) {
  const of = count === undefined ? 'all plants found' : toCount(count, 'plant');
  return (
    <p class="note list-note">
      The first {toGrouped(shown.size)} of {of}. Search, or choose a tag, to see others.
    </p>
  );
}

interface MissingProps {
  readonly list: ShownList;
  /** Ids that are searched for, and not in the list. */
  readonly ids: readonly bigint[];
  readonly tag: string | null | undefined;
}

export function IdsMissing({ list, ids, tag }: MissingProps) {
  const deleted = useDeleted(list, ids);
  return (
    <p class="note list-note">
      {toMissingText(ids, tag)}. {deleted.length > 0 && <InBin plants={deleted} />} <LongerIds list={list} ids={ids} />
    </p>
  );
}

/** `No plants have the ids 5, 7`. */
function toMissingText(ids: MissingProps['ids'], tag: MissingProps['tag']): string {
  const where = tag === undefined ? '' : ` ${toTagText(tag)}`;
  return `${ids.length === 1 ? `No plant${where} has the id` : `No plants${where} have the ids`} ${ids.join(', ')}`;
}

/** Deletions that are searched: one page of the change log. */
const deletedMax = 1_000;

/** What the list would have of the plants that were deleted last. */
function useDeleted({ copy, shown }: ShownList, ids: readonly bigint[]): readonly StoredPlant[] {
  const { client } = useSession();
  const { value } = useLoaded(
    ({ signal }) =>
      client.changesPage({ kind: 'deleted', newest: true, order: 'desc', pageSize: deletedMax }, { signal }),
    [client, ids.join()],
  );
  const isFound = matches(shown.filter);
  return (value?.items ?? []).flatMap(({ before }) =>
    before !== undefined && !copy.state.rows.has(before.id) && isFound(toRow(before)) ? [before] : [],
  );
}

const namedMax = 5;

function PlantLinks({ plants }: { readonly plants: readonly StoredPlant[] }) {
  return (
    <>
      {plants.slice(0, namedMax).map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <a {...plantLink(id)}>
            {String(id)} {toQuoted(name)}
          </a>
        </span>
      ))}
      {plants.length > namedMax ? ', …' : '.'}
    </>
  );
}

function InBin({ plants }: { readonly plants: readonly StoredPlant[] }) {
  const isFound = plants.length > 0;
  const bin = <a {...toLink({ ...viewChange('bin'), ...(isFound && { search: route.value.search }) })}>bin</a>;
  return !isFound ? (
    <>Deleted plants are in the {bin}.</>
  ) : (
    <>
      In the {bin}: <PlantLinks plants={plants} />
    </>
  );
}

/** What a single id may be the beginning of. */
function LongerIds({ list: { copy }, ids: [id, other] }: Pick<MissingProps, 'list' | 'ids'>) {
  if (id === undefined || other !== undefined) return null;
  const longer = [...copy.state.rows.values()]
    .filter((row) => String(row.id).startsWith(String(id)))
    .sort(compares.id)
    .map(({ plant }) => plant);
  if (longer.length === 0) return null;
  return (
    <>
      Ids that begin with {String(id)}: <PlantLinks plants={longer} />{' '}
    </>
  );
}

export function NoPlant({ text }: { readonly text: string }) {
  return (
    <div class="inline-alert" role="alert">
      <p>The link names no plant: {toQuoted(text)} is not an id.</p>
      <Button onClick={() => navigate({}, { replace: true })}>Dismiss</Button>
    </div>
  );
}

interface NothingProps extends MissingProps {
  readonly search: string;
}

/** @param tag null: plants without a tag. */
function toTagText(tag: string | null = ''): string {
  return tag === null ? 'without a tag' : `with the tag ${tag === '' ? '“”' : toQuoted(tag)}`;
}

export function NothingHere({ list, ids, search, tag }: NothingProps) {
  const { canWrite } = useSession();
  const deleted = useDeleted(list, ids);
  const inBin = <InBin plants={deleted} />;
  if (search !== '' || tag !== undefined) {
    return (
      <Notice
        icon="search"
        title={
          search === ''
            ? `No plants ${toTagText(tag)}`
            : ids.length === 1
              ? toMissingText(ids, tag)
              : `No results for ${toQuoted(search)}`
        }
        actions={<Button onClick={() => navigate({ search: '', tag: undefined })}>Show all plants</Button>}
      >
        <p>
          <LongerIds list={list} ids={ids} />
          {inBin}
        </p>
        {search !== '' && (
          <p>
            Search finds parts of words in names and tags, and exact ids. One or two letters find beginnings of words.
            {tag !== undefined && ` Only plants ${toTagText(tag)} are searched.`}
          </p>
        )}
      </Notice>
    );
  }
  return (
    <Notice
      title={deleted.length === 0 ? 'No plants yet' : 'All plants are deleted'}
      actions={
        canWrite && (
          <>
            <Button kind="main" icon="plus" onClick={() => navigate({ plant: 'new' })}>
              New plant
            </Button>
            <Button icon="import" onClick={() => navigate({ view: 'import' })}>
              Import a file
            </Button>
          </>
        )
      }
    >
      <p>
        {canWrite ? 'Add a plant, or import a CSV or NDJSON file.' : 'Plants appear here as soon as one is added.'}{' '}
        {inBin}
      </p>
    </Notice>
  );
}
