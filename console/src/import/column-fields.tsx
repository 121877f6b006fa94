/** What the columns of a CSV file are, to be changed before it is imported, and which are left out. */
import { useId } from 'preact/hooks';
import { parseInt64 } from '../../../src/client/client.ts';
import { type CsvPlan, toColumnNames, toLeftOut } from './csv-plan.ts';
import type { CsvFile } from './import-state.ts';
import { type Encoding, encodingNames } from './inspect-file.ts';
import { importer } from './use-import.ts';

const set = (change: Partial<CsvPlan>): void => void importer.setPlan(change);

export function ColumnFields({ csv: { first, plan, rows } }: { readonly csv: CsvFile }) {
  const columns = toColumnNames(first, plan).map((name, at) => [at, name] as const);
  const leftOut = toLeftOut(first, plan);
  return (
    <fieldset class="columns">
      <legend class="for-readers">Columns</legend>
      <div class="columns-fields">
        <Select
          label="Id"
          value={plan.id}
          options={[['new', 'New numbers'], ...columns]}
          onChange={(key) => set({ id: key === 'new' ? 'new' : Number(key) })}
        />
        {plan.id === 'new' && <FirstId plan={plan} />}
        <Select label="Name" value={plan.name} options={columns} onChange={(key) => set({ name: Number(key) })} />
        <Select
          label="Tag"
          value={plan.tag}
          options={[['none', 'No tag'], ...columns]}
          onChange={(key) => set({ tag: key === 'none' ? 'none' : Number(key) })}
        />
        <Select
          label="Headings"
          value={plan.hasHeadings ? (plan.start ?? 0) : 'none'}
          options={[['none', 'None'], ...rows.map(({ line }, at) => [at && line, `Line ${line}`] as const)]}
          onChange={(key) => set({ hasHeadings: key !== 'none', start: Number(key) || undefined })}
        />
        <Select
          label="Encoding"
          value={plan.encoding}
          options={Object.entries(encodingNames)}
          onChange={(key) => set({ encoding: key as Encoding })}
        />
      </div>
      {leftOut.length > 0 && (
        <p class="columns-left">
          <b>Not imported:</b> {leftOut.slice(0, 12).join(', ')}
          {leftOut.length > 12 && ` and ${leftOut.length - 12} more`}
        </p>
      )}
    </fieldset>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string | number;
  readonly options: readonly (readonly [key: string | number, name: string])[];
  readonly onChange: (key: string) => void;
}

function Select({ label, value, options, onChange }: SelectProps) {
  const id = useId();
  return (
    <div class="column-field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <select id={id} class="input" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function FirstId({ plan: { firstId } }: { readonly plan: CsvPlan }) {
  return (
    <label class="column-field column-field-short">
      <span class="field-label">From</span>
      <input
        class="input input-number"
        inputmode="numeric"
        autocomplete="off"
        value={String(firstId)}
        onChange={({ currentTarget }) => {
          const next = parseInt64(currentTarget.value.trim());
          if (next === undefined) currentTarget.value = String(firstId);
          else set({ firstId: next });
        }}
      />
    </label>
  );
}
