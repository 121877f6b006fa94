/** What takes the place of the list: failed, offline, nothing found, no plants yet. */
import { useValue } from '../observable.ts';
import { navigate } from '../route.ts';
import { connection } from '../session/connection.ts';
import { toReason } from '../session/reasons.ts';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { toQuoted } from '../ui/plant-text.tsx';
import type { ShownList } from './use-plant-window.ts';

/** While the service is not responding the banner above has the button, and the list loads by itself afterwards. */
export function ListFailed({ list: { plants } }: { readonly list: ShownList }) {
  const { isAway } = useValue(connection);
  if (isAway) {
    return (
      <Notice icon="offline" title="Offline">
        <p>The list will load automatically when the service responds.</p>
      </Notice>
    );
  }
  return (
    <Notice
      isAlert
      icon="alert"
      title="Could not load the list"
      actions={
        <Button kind="main" onClick={() => plants.retry()}>
          Try again
        </Button>
      }
    >
      <p>{toReason(plants.error)}</p>
    </Notice>
  );
}

export function MoreFailed({ list: { plants } }: { readonly list: ShownList }) {
  const { isAway } = useValue(connection);
  if (isAway) return null;
  return <LoadFailed what="all plants" reason={toReason(plants.error)} onRetry={() => plants.retry()} />;
}

export function NoPlant({ text }: { readonly text: string }) {
  return (
    <div class="inline-alert" role="alert">
      <p>The link names no plant: {toQuoted(text)} is not an id.</p>
      <Button onClick={() => navigate({}, { replace: true })}>Dismiss</Button>
    </div>
  );
}

interface NothingProps {
  readonly current: Session;
  readonly search: string;
  readonly tag: string | undefined;
}

function toTagText(tag = ''): string {
  return tag === '' ? '“”' : toQuoted(tag);
}

export function NothingHere({ current, search, tag }: NothingProps) {
  if (search !== '' || tag !== undefined) {
    return (
      <Notice
        icon="search"
        title={search === '' ? `No plants with the tag ${toTagText(tag)}` : `No results for ${toQuoted(search)}`}
        actions={<Button onClick={() => navigate({ search: '', tag: undefined })}>Show all plants</Button>}
      >
        {search !== '' && (
          <p>
            Search finds parts of words in names and tags, and exact ids. One or two letters find beginnings of words
            only.
            {tag !== undefined && ` Only plants with the tag ${toTagText(tag)} are searched.`}
          </p>
        )}
      </Notice>
    );
  }
  return (
    <Notice
      title="No plants yet"
      actions={
        current.canWrite && (
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
        {current.canWrite
          ? 'Add your first plant, or import a CSV or NDJSON file.'
          : 'Plants appear here as soon as one is added.'}
      </p>
    </Notice>
  );
}
