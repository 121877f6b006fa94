/** What the labels are like: their size, where they begin, how many there are of each, and the button that prints them. */
import { navigate } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { type LabelSize, labelSizes, toGridOf, toSizeText } from './label-sizes.ts';

const copiesMax = 50;

/** The first label of a sheet that is free, and how many there are of each plant. */
export interface Amounts {
  readonly first: number;
  readonly copies: number;
}

interface ToolsProps {
  readonly size: LabelSize;
  readonly amounts: Amounts;
  readonly onAmounts: (amounts: Amounts) => void;
  readonly canPrint: boolean;
  readonly onPrint: () => void;
}

export function LabelTools({ size, amounts, onAmounts, canPrint, onPrint }: ToolsProps) {
  const { columns, rows } = toGridOf(size);
  const perSheet = columns * rows;
  return (
    <div class="toolbar">
      <Choice
        label="Size"
        value={size.key}
        options={labelSizes.map((each) => ({ key: each.key, name: each.name, hint: toSizeText(each) }))}
        onChange={(key) => navigate({ size: key }, { replace: true })}
      />
      <NumberField
        label={`First free label (1–${perSheet})`}
        value={Math.min(amounts.first, perSheet)}
        max={perSheet}
        onChange={(first) => onAmounts({ ...amounts, first })}
      />
      <NumberField
        label="Copies of each"
        value={amounts.copies}
        max={copiesMax}
        onChange={(copies) => onAmounts({ ...amounts, copies })}
      />
      <div class="toolbar-actions beside">
        <Button kind="main" icon="print" disabled={!canPrint} onClick={onPrint}>
          Print
        </Button>
      </div>
    </div>
  );
}
