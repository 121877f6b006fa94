/** Labels to print: a preview of the sheets, with a QR code for each plant. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { useValue } from '../observable.ts';
import { labelledMax, route } from '../route.ts';
import { ask } from '../session/ask.tsx';
import { CheckSet } from '../ui/check-set.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { TextInput } from '../ui/text-input.tsx';
import { Notice } from '../session/notice.tsx';
import { isLoopback } from '../ui/loopback.ts';
import { View } from '../ui/view.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { keepParts, keptParts, labelAddress, ownAddress, setLabelAddress, toPlantAddress } from './label-address.ts';
import { Label, type LabelPart, labelParts } from './label.tsx';
import {
  columnGap,
  findSize,
  type LabelSize,
  labelsMax,
  paper,
  toGridOf,
  toSheets,
  toSizeText,
} from './label-sizes.ts';
import { type Amounts, LabelTools } from './label-tools.tsx';
import { useLabelPlants } from './use-label-plants.ts';

export function LabelsView() {
  const where = useValue(route);
  const size = findSize(where.size);
  const { value, error, reload } = useLabelPlants(where);
  const plants = value ?? none;
  const { columns, rows } = toGridOf(size);
  const perSheet = columns * rows;
  const [amounts, setAmounts] = useState<Amounts>({ first: 1, copies: 1 });
  const { copies } = amounts;
  const start = Math.min(amounts.first, perSheet);
  const sheets = useMemo(() => toSheets(plants, perSheet, { start, copies }), [plants, perSheet, start, copies]);
  const view = useRef<HTMLDivElement>(null);
  const [cut, setCut] = useState<readonly string[]>([]);
  const address = useValue(labelAddress);
  const kept = useValue(keptParts);
  useLayoutEffect(() => setCut(findCut(view.current)), [sheets, size, kept]);
  const parts = (Object.keys(labelParts) as LabelPart[]).filter((part) => kept.split(' ').includes(part));
  const hasCode = parts.includes('code');
  // With the longest id.
  const longest = toPlantAddress(address, -(2n ** 63n));
  const isLocal = hasCode && longest !== undefined && isLoopback(longest);
  const isAddress = !hasCode || longest !== undefined;
  return (
    <View
      name="labels"
      back="plants"
      head={
        <>
          <LabelTools
            size={size}
            amounts={amounts}
            onAmounts={setAmounts}
            canPrint={plants.length > 0 && isAddress}
            onPrint={() => printSheets(isLocal)}
          />
          <CheckSet
            label="On each label, beside the name"
            names={labelParts}
            chosen={parts}
            reasons={{ tag: size.hasTag ? undefined : 'no room at this size' }}
            onChange={(chosen) => keepParts(chosen.join(' '))}
          />
          {hasCode && <AddressField address={address} isAddress={isAddress} plants={plants} size={size} />}
          {isLocal && (
            <p class="note note-warn" role="status">
              <Icon name="alert" />
              <span>{localText} Enter the address under which phones reach this console.</span>
            </p>
          )}
        </>
      }
    >
      {error !== undefined && <LoadFailed what="the plants" onRetry={reload} />}
      <p class="count" role="status">
        {value === undefined
          ? error === undefined && 'Loading…'
          : toCountText(plants.length * copies, size, sheets.length) + toLeftText(where.ids, plants.length, cut)}
      </p>
      {value?.length === 0 && (
        <Notice title="No labels">
          <p>Select plants in the list, then choose Labels.</p>
        </Notice>
      )}
      <div class="sheets" ref={view} tabIndex={0} role="region" aria-label="Print preview">
        {sheets.map((sheet, at) => (
          <Sheet key={at} plants={sheet} size={size} parts={parts} columns={columns} address={address} />
        ))}
      </div>
    </View>
  );
}

const none: readonly StoredPlant[] = [];

function toCountText(labels: number, size: LabelSize, sheets: number): string {
  const count = toCount(Math.min(labels, labelsMax), 'label');
  const limit = labels > labelsMax ? `. Limit: ${toGrouped(labelsMax)} labels` : '';
  return `${count} of ${toSizeText(size)}, on ${toCount(sheets, 'sheet')}, in the order of the list${limit}`;
}

/** Texts that do not fit, and are named. */
const namedMax = 3;

/** @param cut texts that are longer than their place. */
function toLeftText(ids: readonly bigint[] | undefined, plants: number, cut: readonly string[]): string {
  const left = Math.max(0, (ids ?? []).length - labelledMax);
  const missing = ids === undefined ? 0 : ids.length - left - plants;
  return (
    (left > 0 || plants === labelledMax ? `. Limit: ${labelledMax} plants` : '') +
    (left > 0 ? `, ${toGrouped(left)} left out` : '') +
    (missing > 0 ? `. ${toCount(missing, 'plant')} no longer ${missing === 1 ? 'exists' : 'exist'}` : '') +
    (cut.length > 0
      ? `. ${toCount(cut.length, 'name or tag does', 'names or tags do')} not fit: ${cut.slice(0, namedMax).map(toQuoted).join(', ')}${cut.length > namedMax ? ', …' : ''}`
      : '')
  );
}

/** Different texts of labels that are longer than their place. */
function findCut(view: HTMLElement | null): readonly string[] {
  const texts = [...(view?.querySelectorAll<HTMLElement>('.label-name, .label-tag') ?? [])];
  // Firefox counts what a letter takes above and below its line: half of a line is no longer that.
  const isCut = (text: HTMLElement): boolean =>
    text.scrollHeight > text.clientHeight + parseFloat(getComputedStyle(text).fontSize) / 2 ||
    text.scrollWidth > text.clientWidth + 1;
  return [...new Set(texts.filter(isCut).map(({ textContent }) => textContent))];
}

const localText = 'Phones cannot open these codes: the address is that of this machine itself.';

/** Labels that no phone can follow are printed only if that is wanted. */
function printSheets(isLocal: boolean): void {
  if (isLocal) ask({ text: localText, yes: 'Print anyway', onYes: print });
  else print();
}

interface AddressFieldProps {
  readonly address: string;
  readonly isAddress: boolean;
  readonly plants: readonly StoredPlant[];
  readonly size: LabelSize;
}

function AddressField({ address, isAddress, plants, size }: AddressFieldProps) {
  const isLong = plants.some((plant) => (toPlantAddress(address, plant.id) ?? '').length > size.addressBytesMax);
  return (
    <Field
      label="Address in the QR code"
      hint={
        isLong
          ? 'This address is long. Phones may not read its code at this label size.'
          : 'Scanning a label opens this address with the id of the plant added.'
      }
      error={isAddress ? undefined : 'Enter an address that starts with http:// or https:// and fits into a QR code.'}
    >
      {(control) => (
        <TextInput
          {...control}
          type="url"
          placeholder={ownAddress}
          maxLength={500}
          value={address}
          onText={setLabelAddress}
        />
      )}
    </Field>
  );
}

interface SheetProps {
  /** Undefined: no label is printed in this place. */
  readonly plants: readonly (StoredPlant | undefined)[];
  readonly size: LabelSize;
  readonly parts: readonly LabelPart[];
  readonly columns: number;
  readonly address: string;
}

function Sheet({ plants, size, parts, columns, address }: SheetProps) {
  // The margin above the first row that centres the rows on the sheet.
  const edge = (paper.height - toGridOf(size).rows * size.height) / 2;
  return (
    <div class="sheet" style={{ width: `${paper.width}mm`, height: `${paper.height}mm`, padding: `${edge}mm 0` }}>
      <ul
        class="sheet-labels"
        style={{
          gridTemplateColumns: `repeat(${columns}, ${size.width}mm)`,
          gridAutoRows: `${size.height}mm`,
          columnGap: `${columnGap}mm`,
        }}
      >
        {plants.map((plant, at) =>
          plant === undefined ? (
            <li key={at} class="label-used" aria-hidden="true" />
          ) : (
            <Label key={at} plant={plant} size={size} parts={parts} address={toPlantAddress(address, plant.id)} />
          ),
        )}
      </ul>
    </div>
  );
}
