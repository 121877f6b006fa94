/** A stored plant as the API sees it, and the link to it. */
import { linkTo } from '../route.ts';
import { Command } from '../ui/command.tsx';
import { type Draft, toJsonText } from './plant-form.ts';

export function PlantDetails({ plantId, draft: { base } }: { readonly plantId: bigint; readonly draft: Draft }) {
  if (base === undefined) return null;
  const link = `${location.origin}${linkTo({ view: 'plants', search: '', tag: undefined, plant: plantId })}`;
  return (
    <details class="panel-more">
      <summary>JSON and link</summary>
      <h3>JSON</h3>
      <Command text={toJsonText(plantId, base)} what="the JSON" />
      <h3>Link to this page</h3>
      <Command text={link} what="the link" />
    </details>
  );
}
