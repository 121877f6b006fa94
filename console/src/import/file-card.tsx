/** The chosen file: its name, its columns, its first rows, and what to do with ids that exist already. */
import { plantIdTaken } from '../../../src/domain/error-numbers.ts';
import { useId } from 'preact/hooks';
import { Icon } from '../ui/icons.tsx';
import { toSize } from '../ui/numbers.ts';
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import type { ChosenFile, ConflictRule, ImportState } from './import-state.ts';
import { ColumnFields } from './column-fields.tsx';
import { importer } from './use-import.ts';

const rules: readonly { readonly key: ConflictRule; readonly name: string; readonly hint: string }[] = [
  { key: 'fail', name: 'Refuse the row', hint: 'The row is listed as refused. The stored plant does not change.' },
  { key: 'skip', name: 'Skip the row', hint: 'The row is only counted. The stored plant does not change.' },
  { key: 'replace', name: 'Replace the plant', hint: 'The stored plant gets the name and tag of the row.' },
];

interface FileCardProps {
  readonly chosen: ChosenFile;
  readonly state: ImportState;
}

export function FileCard({ chosen, state }: FileCardProps) {
  const { file, preview, addedLines, csv } = chosen;
  const { step, rule, isDryRun, rows } = state;
  const group = useId();
  const isFixed = !isDryRun || preview === undefined;
  return (
    <section class="file" aria-label="File">
      <header class="file-head">
        <Icon name="file" />
        <div>
          <h2>{file.name}</h2>
          <p class="soft small">{toSize(file.size)}</p>
        </div>
      </header>
      {csv !== undefined && preview !== undefined && <ColumnFields csv={csv} isFixed={isFixed} />}
      {preview !== undefined && preview.length > 0 && (
        <div class="rows preview" tabIndex={0} role="region" aria-label="First rows">
          <table>
            <thead>
              <tr>
                {['Line', 'Id', 'Name', 'Tag'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
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
            </tbody>
          </table>
        </div>
      )}
      {step !== 'failed' && hasConflicts(state) && (
        <fieldset class="file-rules" disabled={isFixed}>
          <legend>If an id already exists with a different name or tag</legend>
          {rules.map(({ key, name, hint }) => (
            <label key={key} class="file-rule">
              <input type="radio" name={group} checked={key === rule} onChange={() => importer.setRule(key)} />
              <span>
                {name}
                <small>{hint}</small>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </section>
  );
}

/** Whether the rule matters: an id is stored already, or twice in the file. */
function hasConflicts({ rule, report, repeated }: ImportState): boolean {
  if (rule !== 'fail' || (repeated?.count ?? 0) > 0) return true;
  if (report === undefined) return false;
  // Not all refused rows may be known.
  return report.errors.some(({ error }) => error === plantIdTaken) || report.refused > BigInt(report.errors.length);
}
