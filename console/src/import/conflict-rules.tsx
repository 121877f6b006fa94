/** What to do with rows whose ids exist with another name or tag. */
import { plantIdTaken } from '../../../src/client/client.ts';
import type { ConflictRule, ImportProps, ImportState } from './import-state.ts';
import { importer } from './use-import.ts';

const rules: readonly { readonly key: ConflictRule; readonly name: string; readonly hint: string }[] = [
  { key: 'fail', name: 'Refuse the row', hint: 'The row is listed as refused.' },
  { key: 'skip', name: 'Skip the row', hint: 'The row is only counted. The stored plant does not change.' },
  { key: 'replace', name: 'Replace the plant', hint: 'The stored plant gets the name and tag of the row.' },
];

export function ConflictRules({ chosen: { preview, csv }, state }: ImportProps) {
  const { step, rule } = state;
  if (step === 'failed' || !hasConflicts(state)) return null;
  return (
    <>
      <fieldset class="file-rules" disabled={preview === undefined}>
        <legend>If an id already exists with a different name or tag</legend>
        {rules.map(({ key, name, hint }) => (
          <label key={key} class="file-rule">
            <input type="radio" name="conflict-rule" checked={key === rule} onChange={() => importer.setRule(key)} />
            <span>
              {name}
              <small>{hint}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {rule === 'replace' && csv?.plan.tag === 'none' && (
        <p class="note note-warn">The file has no tags: plants that are replaced lose theirs.</p>
      )}
    </>
  );
}

/** Whether the rule matters: an id is stored already, or twice in the file. */
function hasConflicts({ rule, report, repeated }: ImportState): boolean {
  if (rule !== 'fail' || (repeated?.ids.size ?? 0) > 0) return true;
  if (report === undefined) return false;
  // Not all refused rows may be known.
  return report.errors.some(({ error }) => error === plantIdTaken) || report.refused > BigInt(report.errors.length);
}
