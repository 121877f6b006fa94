/** What can be done with the selected plants. Shown while there are any. */
import { useState } from 'preact/hooks';
import { labelledMax, showLabels } from '../route.ts';
import { findInCopy } from '../copy/copy.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { countTagged, deletePlants, tagSelected, toTarget } from '../actions/bulk-actions.ts';
import { ExportButton } from './export-button.tsx';
import { toSentence } from '../ui/filter-text.ts';
import { picked, useSelection } from '../actions/picked-plants.ts';
import { TagForm } from '../form/tag-form.tsx';
import type { ShownRows } from './shown-rows.ts';

interface BarProps {
  readonly shown: ShownRows;
  /** Number of plants in the list, if it is known. */
  readonly total: bigint | undefined;
  /** Absent when all are selected. */
  readonly onSelectAll: (() => void) | undefined;
}

export function SelectionBar({ shown, total, onSelectAll }: BarProps) {
  const { client, canWrite } = useSession();
  const selected = useSelection();
  const [isTagging, setTagging] = useState(false);
  const target = toTarget(selected, total);
  const { source, total: size, what } = target;
  const isAll = selected.filter !== undefined;
  const tagged = isTagging ? countTagged(target) : 0;
  const tooMany = size === undefined || size > labelledMax;
  const tagAll = (tag: string | undefined): void => tagSelected(client, target, tag, shown.countSeen(selected));
  const needs = canWrite ? {} : { disabled: true, label: 'This token cannot change plants' };
  return (
    <div class="selection-bar" role="region" aria-label="Selected plants">
      {isTagging ? (
        <TagForm
          label={
            tagged === 0
              ? `Tag for ${what}`
              : `Tag for ${what}: ${tagged} ${tagged === 1 ? 'has one, which it replaces' : 'have one, which it replaces'}`
          }
          onTag={tagAll}
          {...(tagged > 0 || isAll ? { onRemove: () => tagAll(undefined) } : {})}
          onClose={() => setTagging(false)}
        />
      ) : (
        <>
          <div class="selection-size">
            <p aria-live="polite">{isAll ? toSentence(what) : <b>{toGrouped(selected.ids.size)}</b>} selected</p>
            {onSelectAll !== undefined && (
              <Button kind="quiet" onClick={onSelectAll}>
                Select all{total !== undefined && ` ${toGrouped(total)}`}
              </Button>
            )}
            {!isAll && (onSelectAll ?? selected.only) !== undefined && (
              <Button kind="quiet" onClick={() => picked().toggleOnly()}>
                {selected.only === undefined ? 'Show only these' : 'Show all plants'}
              </Button>
            )}
            <Button kind="quiet" icon="close" label="Clear the selection" onClick={() => picked().clear()} />
          </div>
          <Button icon="tags" {...needs} onClick={() => setTagging(true)}>
            Tag
          </Button>
          <Button icon="label" onClick={() => showLabels(isAll ? undefined : [...selected.ids])}>
            Labels{tooMany && <span class="of-many"> (first {labelledMax})</span>}
          </Button>
          <ExportButton
            source={source instanceof Array ? () => findInCopy(source) : source}
            total={total}
            title={toSentence(what)}
          />
          <Button
            kind="danger"
            icon="bin"
            {...needs}
            onClick={() => deletePlants(client, target, shown.countSeen(selected))}
          >
            Delete
          </Button>
        </>
      )}
    </div>
  );
}
