/** Plants as commands show them: a table for people, one JSON object a line for programs. */
import type { StoredPlant } from '../../domain/schemas.ts';
import { toJson } from '../../json/to-json.ts';
import type { Output } from '../command-context.ts';
import { toTable } from './to-table.ts';

/** A plant, and what else a command knows about it; members without a value are left out. */
export type ShownPlant = StoredPlant & { readonly etag?: string; readonly outcome?: string };

/** How to show: `table`, `lines` of JSON, or one JSON `array`. */
export type PlantForm = 'table' | 'lines' | 'array';

export function toPlantForm(stdout: Output, json: boolean): PlantForm {
  return json ? 'array' : stdout.isTTY ? 'table' : 'lines';
}

/** Text for stdout. In a table an absent tag is a blank cell, and the empty one is "". @param width of the terminal. */
export function toPlantText(plants: readonly ShownPlant[], form: PlantForm, width?: number): string {
  if (form === 'lines') return plants.map((plant) => `${toJson(plant)}\n`).join('');
  if (form === 'array')
    return plants.length === 0 ? '[]\n' : `[\n${plants.map((plant) => `  ${toJson(plant)}`).join(',\n')}\n]\n`;
  const hasEtag = plants.some(({ etag }) => etag !== undefined);
  const head = ['ID', 'NAME', 'TAG', ...(hasEtag ? ['ETAG'] : [])];
  const rows = [
    head,
    ...plants.map(({ id, name, tag, etag }) => [
      id.toString(),
      name,
      tag === '' ? '""' : (tag ?? ''),
      ...(etag === undefined ? [] : [etag]),
    ]),
  ];
  return toTable(rows, { width, uncut: [0, 3] });
}
