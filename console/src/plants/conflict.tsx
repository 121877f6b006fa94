/** Somebody else was quicker: both versions side by side, and the choice. */
import { useEffect, useRef } from 'preact/hooks';
import type { Plant, PlantVersion } from '../../../src/client/client.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import { toPlant } from './plant-form.ts';
import type { Deletion } from './use-delete.ts';
import type { Editor } from './use-editor.ts';

interface ConflictProps {
  readonly editor: Editor;
  readonly stored: PlantVersion | 'deleted';
  /** Present when it is a delete that was refused. */
  readonly deletion?: Deletion;
}

export function Conflict({ editor, stored, deletion }: ConflictProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const mine = toPlant(editor.draft);
  const theirs = stored === 'deleted' ? undefined : stored.plant;
  return (
    <div class="panel-form" role="alertdialog" aria-labelledby="conflict-title">
      <div class="panel-body">
        <h3 id="conflict-title" class="conflict-title" tabIndex={-1} ref={title}>
          <Icon name="alert" />
          {theirs === undefined ? 'Somebody deleted this plant' : 'Somebody changed this plant meanwhile'}
        </h3>
        <p class="panel-text">
          {theirs === undefined
            ? 'Your version is still here. Store it again, or let it go.'
            : deletion === undefined
              ? 'Nothing is lost: choose which version is kept.'
              : 'It was not deleted. Look at what it is now, then decide.'}
        </p>
        <div class="versions">
          {theirs !== undefined && <Version title="Stored now" plant={theirs} other={mine} />}
          <Version title={deletion === undefined ? 'Yours' : 'As you saw it'} plant={mine} other={theirs} />
        </div>
      </div>
      <footer class="panel-foot panel-foot-stacked">
        {deletion !== undefined && stored !== 'deleted' ? (
          <>
            <Button kind="danger" icon="trash" isBusy={deletion.isBusy} onClick={() => void deletion.run(stored)}>
              Delete it anyway
            </Button>
            <Button
              onClick={() => {
                deletion.keep();
                editor.discard();
              }}
            >
              Keep it
            </Button>
          </>
        ) : (
          <>
            <Button kind="main" onClick={() => void editor.save(stored)}>
              {theirs === undefined ? 'Store mine again' : 'Keep mine'}
            </Button>
            <Button onClick={() => editor.discard()}>
              {theirs === undefined ? 'Let it go' : 'Take the stored one'}
            </Button>
          </>
        )}
      </footer>
    </div>
  );
}

function Version({
  title,
  plant,
  other,
}: {
  readonly title: string;
  readonly plant: Plant;
  readonly other: Plant | undefined;
}) {
  const isOtherName = other !== undefined && other.name !== plant.name;
  const isOtherTag = other !== undefined && other.tag !== plant.tag;
  return (
    <section class="version">
      <h4>{title}</h4>
      <dl>
        <dt>Name</dt>
        <dd class={isOtherName ? 'differs' : ''}>
          <PlantName name={plant.name} />
        </dd>
        <dt>Tag</dt>
        <dd class={isOtherTag ? 'differs' : ''}>
          {plant.tag === undefined ? <span class="no-text">no tag</span> : <TagChip tag={plant.tag} />}
        </dd>
      </dl>
    </section>
  );
}
