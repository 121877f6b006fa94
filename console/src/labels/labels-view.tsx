/** Labels to print: a preview of the sheets, with a QR code for each plant. */
import { useId, useMemo } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { useValue } from '../observable.ts';
import { navigate, route } from '../route.ts';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Field } from '../ui/field.tsx';
import { Notice, ScopeNotice } from '../ui/notice.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { selectionMax } from '../plants/picked-plants.ts';
import { labelAddress, ownAddress, setLabelAddress, toPlantAddress } from './label-address.ts';
import { Label } from './label.tsx';
import {
  columnGap,
  findPaper,
  findSize,
  type LabelSize,
  labelSizes,
  type Paper,
  papers,
  toGridOf,
} from './label-sizes.ts';
import { useLabelPlants } from './use-label-plants.ts';

export function LabelsView({ current }: { readonly current: Session }) {
  const where = useValue(route);
  if (!current.canRead) return <ScopeNotice needs="plants:read" what="read plants" />;
  const size = findSize(where.size);
  const paper = findPaper(where.paper);
  return <LabelSheets current={current} size={size} paper={paper} />;
}

interface SheetsProps {
  readonly current: Session;
  readonly size: LabelSize;
  readonly paper: Paper;
}

function LabelSheets({ current, size, paper }: SheetsProps) {
  const where = useValue(route);
  const { plants, missing, left, state, retry } = useLabelPlants(current.client, where);
  const { columns, rows } = toGridOf(size, paper);
  const sheets = useMemo(() => toChunks(plants, columns * rows), [plants, columns, rows]);
  const address = useValue(labelAddress);
  // With the longest id.
  const isAddress = toPlantAddress(address, -(2n ** 63n)) !== undefined;
  return (
    <section class="view view-labels" aria-labelledby="labels-title">
      <header class="view-head">
        <div class="view-title">
          <Button
            kind="quiet"
            icon="back"
            label="Back to the list"
            onClick={() => navigate({ view: 'plants', ids: undefined, size: undefined, paper: undefined })}
          />
          <h1 id="labels-title">Labels</h1>
        </div>
        <div class="toolbar">
          <Choice
            label="Size"
            value={size.key}
            options={labelSizes.map(({ key, name, width, height }) => ({ key, name, hint: `${width} × ${height} mm` }))}
            onChange={(key) => navigate({ size: key }, { replace: true })}
          />
          <Choice
            label="Paper"
            value={paper.key}
            options={papers}
            onChange={(key) => navigate({ paper: key }, { replace: true })}
          />
          <div class="toolbar-actions beside">
            <Button kind="main" icon="print" disabled={plants.length === 0 || !isAddress} onClick={() => print()}>
              Print
            </Button>
          </div>
        </div>
        <AddressField address={address} isAddress={isAddress} plants={plants} size={size} />
      </header>
      {state === 'failed' && (
        <div class="inline-alert" role="alert">
          <p>Could not load the plants.</p>
          <Button onClick={retry}>Try again</Button>
        </div>
      )}
      <p class="count" role="status">
        {state === 'reading'
          ? 'Loading…'
          : state === 'failed'
            ? ''
            : `${toCount(plants.length, 'label')} of ${size.width} × ${size.height} mm on ${toCount(sheets.length, 'sheet')}` +
              (left > 0 || plants.length === selectionMax ? `. Limit: ${selectionMax} labels` : '') +
              (left > 0 ? `, ${toGrouped(left)} left out` : '') +
              (missing > 0 ? `. ${toCount(missing, 'plant')} no longer ${missing === 1 ? 'exists' : 'exist'}` : '')}
      </p>
      {state === 'ready' && plants.length === 0 && (
        <Notice title="No labels">
          <p>Select plants in the list, then choose Labels.</p>
        </Notice>
      )}
      <div class="sheets" tabIndex={0} role="region" aria-label="Print preview">
        {sheets.map((sheet, at) => (
          <Sheet key={at} plants={sheet} size={size} paper={paper} columns={columns} address={address} />
        ))}
      </div>
    </section>
  );
}

interface AddressFieldProps {
  readonly address: string;
  readonly isAddress: boolean;
  readonly plants: readonly StoredPlant[];
  readonly size: LabelSize;
}

function AddressField({ address, isAddress, plants, size }: AddressFieldProps) {
  const id = useId();
  const isLong = plants.some((plant) => (toPlantAddress(address, plant.id) ?? '').length > size.addressBytesMax);
  return (
    <Field
      id={id}
      label="Address in the QR code"
      hint={
        isLong
          ? 'This address is long. Phones may not read its code at this label size.'
          : 'Scanning a label opens this address with the id of the plant added.'
      }
      error={isAddress ? undefined : 'Enter an address that starts with http:// or https:// and fits into a QR code.'}
    >
      <input
        id={id}
        class="input"
        type="url"
        inputMode="url"
        spellcheck={false}
        autocomplete="off"
        placeholder={ownAddress}
        maxLength={500}
        value={address}
        aria-describedby={`${id}-hint`}
        aria-invalid={!isAddress}
        onInput={({ currentTarget: { value } }) => setLabelAddress(value)}
      />
    </Field>
  );
}

interface SheetProps {
  readonly plants: readonly StoredPlant[];
  readonly size: LabelSize;
  readonly paper: Paper;
  readonly columns: number;
  readonly address: string;
}

function Sheet({ plants, size, paper, columns, address }: SheetProps) {
  return (
    <div
      class={`sheet sheet-${paper.key}`}
      style={{ width: `${paper.width}mm`, height: `${paper.height}mm`, padding: `${toEdge(size, paper)}mm 0` }}
    >
      <ul
        class="sheet-labels"
        style={{
          gridTemplateColumns: `repeat(${columns}, ${size.width}mm)`,
          gridAutoRows: `${size.height}mm`,
          columnGap: `${columnGap}mm`,
        }}
      >
        {plants.map((plant) => (
          <Label key={String(plant.id)} plant={plant} size={size} address={toPlantAddress(address, plant.id)} />
        ))}
      </ul>
    </div>
  );
}

/** Margin above the first row that centres the rows on the sheet. */
function toEdge(size: LabelSize, paper: Paper): number {
  return (paper.height - toGridOf(size, paper).rows * size.height) / 2;
}

function toChunks<Item>(items: readonly Item[], length: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, at) =>
    items.slice(at * length, (at + 1) * length),
  );
}
