/** One label: name, id and tag for people, and a QR code that opens the plant on a phone. */
import { correction, generate } from 'lean-qr/nano';
import { toSvgPath } from 'lean-qr/extras/svg';
import { useMemo } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { LatinText } from '../ui/plant-text.tsx';
import { type LabelSize, toNameScale } from './label-sizes.ts';

/** Light modules around a code (ISO/IEC 18004, clause 6.3.8). */
const quietModules = 4;

export const labelParts = { code: 'QR code', id: 'Id', tag: 'Tag' } as const;
export type LabelPart = keyof typeof labelParts;

interface LabelProps {
  readonly plant: StoredPlant;
  readonly size: LabelSize;
  readonly parts: readonly LabelPart[];
  /** In the QR code; undefined: there is none. */
  readonly address: string | undefined;
}

export function Label({ plant: { id, name, tag }, size, parts, address }: LabelProps) {
  const hasCode = parts.includes('code');
  // A sign of a hybrid stays with its name, a number with its unit.
  const text = name === '' ? 'no name' : name.replaceAll(/(?<=^| )([×x]|[\d,]+(?= [clm])) /g, '$1\u00a0');
  const scale = useMemo(
    () => toNameScale(toWidths(text), size.room + (hasCode ? 0 : size.codeWidth), size),
    [text, size, hasCode],
  );
  return (
    <li class={`label label-${size.key}`}>
      {hasCode &&
        (address === undefined ? <span class="qr" /> : <QrCode text={address} title={`QR code for plant ${id}`} />)}
      <div class="label-text" style={{ '--name': `${(size.letters * scale) / 100}mm` }}>
        <p class="label-name">
          <bdi>
            <LatinText text={text} />
          </bdi>
        </p>
        {parts.includes('id') && (
          <p class="label-id" style={{ '--length': String(id).length }}>
            {String(id)}
          </p>
        )}
        {parts.includes('tag') && size.hasTag && tag !== undefined && tag !== '' && (
          <p class="label-tag">
            <bdi>{tag}</bdi>
          </p>
        )}
      </div>
    </li>
  );
}

/** Of the letters that are measured, in pixels. */
const measured = 100;
const canvas = document.createElement('canvas').getContext('2d');

/** Widths of the words of a name, in em. */
function toWidths(text: string): readonly number[] {
  if (canvas === null) return [];
  canvas.font = `600 ${measured}px ${getComputedStyle(document.body).fontFamily}`;
  return text.split(/[^\S\u00a0]+/).map((word) => canvas.measureText(word).width / measured);
}

function QrCode({ text, title }: { readonly text: string; readonly title: string }) {
  const code = useMemo(() => generate(text, { minCorrectionLevel: correction.M }), [text]);
  const size = code.size + 2 * quietModules;
  return (
    <svg
      class="qr"
      viewBox={`${-quietModules} ${-quietModules} ${size} ${size}`}
      role="img"
      aria-label={title}
      shape-rendering="crispEdges"
    >
      <rect x={-quietModules} y={-quietModules} width={size} height={size} fill="#fff" />
      <path d={toSvgPath(code)} fill="#000" />
    </svg>
  );
}
