/** The plant of the form was changed or deleted since it was opened: what differs, and the choice. */
import { useLayoutEffect, useId, useRef, useState } from 'preact/hooks';
import { type Plant, type PlantField, plantFields, type PlantVersion } from '../../../src/client/client.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { mergeDraft, toPlant } from '../form/plant-form.ts';
import { fieldLabels, FieldText } from '../ui/field-text.tsx';
import type { ShownEditor } from '../form/use-editor.ts';

/** Both sides changed the same members: the person chooses each. Members that only one side changed need no question. */
export function ConflictForm({ editor, stored }: { readonly editor: ShownEditor; readonly stored: PlantVersion }) {
  const [choices, setChoices] = useState<Partial<Record<PlantField, 'mine' | 'theirs'>>>({});
  const { collisions } = mergeDraft(editor.draft, stored.plant);
  const sides = [
    ['mine', 'Your change', toPlant(editor.draft)],
    ['theirs', 'Stored now', stored.plant],
  ] as const;
  const isComplete = collisions.every((member) => choices[member] !== undefined);
  return (
    <Dialog
      title="This plant was changed since you opened it"
      text={`The ${collisions.join(' and the ')} changed here and elsewhere. Choose which to keep.`}
      actions={
        <>
          <Button kind="main" disabled={!isComplete} onClick={() => void editor.save({ stored, choices })}>
            Save
          </Button>
          <Button onClick={editor.discard}>Discard my changes</Button>
        </>
      }
    >
      {collisions.map((member) => (
        <fieldset key={member} class="versions">
          <legend>{fieldLabels[member]}</legend>
          {sides.map(([side, title, plant]) => (
            <label key={side} class="version version-option">
              <input
                type="radio"
                name={`conflict-${member}`}
                checked={choices[member] === side}
                onChange={() => setChoices({ ...choices, [member]: side })}
              />
              <Version title={title} field={member} plant={plant} />
            </label>
          ))}
        </fieldset>
      ))}
    </Dialog>
  );
}

export function DeletedConflict({ editor }: { readonly editor: ShownEditor }) {
  return (
    <Dialog
      title="This plant was deleted since you opened it"
      text="Create it again or discard your changes."
      actions={
        <>
          <Button kind="main" onClick={() => void editor.save('create')}>
            Create again
          </Button>
          <Button onClick={editor.discard}>Discard</Button>
        </>
      }
    >
      <section class="versions">
        <h4>Your version</h4>
        {plantFields.map((member) => (
          <div key={member} class="version">
            <Version title={fieldLabels[member]} field={member} plant={toPlant(editor.draft)} />
          </div>
        ))}
      </section>
    </Dialog>
  );
}

interface DialogProps {
  readonly title: string;
  readonly text: string;
  readonly children: preact.ComponentChildren;
  readonly actions: preact.ComponentChildren;
}

function Dialog({ title, text, children, actions }: DialogProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <div class="panel-form" role="alertdialog" aria-labelledby={id} aria-describedby={`${id}-text`}>
      <div class="panel-body">
        <h3 id={id} class="conflict-title" tabIndex={-1} ref={heading}>
          <Icon name="alert" />
          {title}
        </h3>
        <p id={`${id}-text`} class="soft">
          {text}
        </p>
        {children}
      </div>
      <div class="panel-foot panel-foot-stacked">{actions}</div>
    </div>
  );
}

interface VersionProps {
  readonly title: string;
  readonly field: PlantField;
  readonly plant: Plant;
}

function Version({ title, ...value }: VersionProps) {
  return (
    <>
      <span class="soft small">{title}</span>
      <span class="version-value">
        <FieldText {...value} hasLines />
      </span>
    </>
  );
}
