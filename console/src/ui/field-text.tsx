/** What a page says of each field of a plant: its label, and its value as text. */
import type { ComponentChildren } from 'preact';
import type { EachField, Plant, PlantField } from '../../../src/client/client.ts';
import { PlantName, TagChip } from './plant-text.tsx';

/** The fields that a row of the list has, in their order. */
export const rowFields = ['name', 'tag'] as const satisfies readonly PlantField[];
export type RowField = (typeof rowFields)[number];

export const fieldLabels: EachField<string> = { name: 'Name', tag: 'Tag' };

const texts: EachField<(plant: Plant, hasLines: boolean) => ComponentChildren> = {
  name: ({ name }, hasLines) => <PlantName name={name} hasLines={hasLines} />,
  tag: ({ tag }) => (tag === undefined ? <span class="no-text">no tag</span> : <TagChip tag={tag} />),
};

interface FieldTextProps {
  readonly plant: Plant;
  readonly field: PlantField;
  /** Keeps line breaks. Default: one line. */
  readonly hasLines?: boolean;
}

export function FieldText({ plant, field, hasLines = false }: FieldTextProps) {
  return <>{texts[field](plant, hasLines)}</>;
}
