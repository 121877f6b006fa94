/** The first rows of the file as they will be imported. */
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import type { ImportProps } from './import-state.ts';
import { RowTable } from './row-table.tsx';

export function FirstRows({ chosen: { preview = [], addedLines }, state: { step, report, rows } }: ImportProps) {
  if (preview.length === 0) return null;
  return (
    <RowTable
      kind="preview"
      label="First rows"
      shown={preview.length}
      total={step === 'checked' ? (report?.read ?? 0n) : 0n}
      headings={['Line', 'Id', 'Name', 'Tag']}
    >
      {preview.map(({ line, id, name, tag }) => (
        <tr key={line} class={rows?.has(line) === true ? 'is-refused' : undefined}>
          <td>{line - addedLines}</td>
          <td>{id}</td>
          <td>
            <PlantName name={name} />
          </td>
          <td>
            <TagChip tag={tag} />
          </td>
        </tr>
      ))}
    </RowTable>
  );
}
