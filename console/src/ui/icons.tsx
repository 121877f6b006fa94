/**
 * Icons: one line weight, in the colour of the text around them. They are decoration; a text or a label always says the same. The drawings
 * are in index.html.
 */

export type IconName =
  | 'plants'
  | 'activity'
  | 'export'
  | 'key'
  | 'search'
  | 'plus'
  | 'close'
  | 'tags'
  | 'label'
  | 'bin'
  | 'check'
  | 'alert'
  | 'offline'
  | 'file'
  | 'import'
  | 'back'
  | 'print'
  | 'edit'
  | 'copy'
  | 'restore'
  | 'webhooks'
  | 'settings';

export function Icon({ name }: { readonly name: IconName }) {
  return <Drawing class="icon" id={`icon-${name}`} />;
}

/** The logo. */
export function Mark() {
  return <Drawing class="mark" id="mark" />;
}

/** For empty states: an empty pot. */
export function EmptyPot() {
  return <Drawing class="drawing" id="empty-pot" />;
}

function Drawing({ class: name, id }: { readonly class: string; readonly id: string }) {
  return (
    <svg class={name} aria-hidden="true" focusable="false">
      <use href={`#${id}`} />
    </svg>
  );
}
