/** A stored plant as the API sees it: JSON, the request that reads it, and its link. */
import { toJson } from '../../../src/json/to-json.ts';
import { linkTo } from '../route.ts';
import { serviceUrl } from '../session/service-url.ts';
import { Command } from '../ui/command.tsx';
import type { Draft } from './plant-form.ts';

export function PlantDetails({ plantId, draft: { base } }: { readonly plantId: bigint; readonly draft: Draft }) {
  if (base === undefined) return null;
  const { name, tag, etag } = base;
  const json = toJson({ id: plantId, name, tag });
  const link = `${location.origin}${linkTo({ view: 'plants', search: '', tag: undefined, plant: plantId })}`;
  return (
    <details class="panel-more">
      <summary>API and link</summary>
      <h3>JSON</h3>
      <Command text={json} what="the JSON" />
      <h3>curl</h3>
      <Command
        text={`curl -H "Authorization: Bearer $PLANT_STORE_TOKEN" ${serviceUrl}/plants/${plantId}`}
        what="the command"
      />
      <h3>ETag</h3>
      <Command text={etag} what="the ETag" />
      <h3>Link to this page</h3>
      <Command text={link} what="the link" />
    </details>
  );
}
