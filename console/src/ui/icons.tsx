/**
 * Icons: one line weight, in the colour of the text around them. They are decoration; a text or a label always says the same. The drawings
 * are in index.html.
 */

type ViewIcon = 'plants' | 'tags' | 'activity' | 'import' | 'bin' | 'settings' | 'webhooks';
type ActionIcon = 'search' | 'plus' | 'close' | 'label' | 'export' | 'back' | 'print' | 'edit' | 'copy' | 'restore';
export type IconName = ViewIcon | ActionIcon | 'key' | 'check' | 'alert' | 'offline' | 'file';

export function Icon({ name }: { readonly name: IconName }) {
  return <Svg class="icon" id={`icon-${name}`} />;
}

export function Mark() {
  return <Svg class="mark" id="mark" />;
}

/** In place of what is not there yet, or no longer, and of what is done. */
export function Drawing({ name }: { readonly name: 'empty-pot' | 'empty-bin' | 'empty-search' | 'import-done' }) {
  return <Svg class="drawing" id={name} />;
}

function Svg({ class: name, id }: { readonly class: string; readonly id: string }) {
  return (
    <svg class={name} aria-hidden="true" focusable="false">
      <use href={`#${id}`} />
    </svg>
  );
}
