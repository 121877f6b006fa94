/** One label: name, id and tag for people, and a QR code that opens the plant on a phone. */
import { correction, generate } from 'lean-qr/nano';
import { toSvgPath } from 'lean-qr/extras/svg';
import { useMemo } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import type { LabelSize } from './label-sizes.ts';

/** Light modules around a code (ISO/IEC 18004, clause 6.3.8). */
const quietModules = 4;

interface LabelProps {
  readonly plant: StoredPlant;
  readonly size: LabelSize;
  /** In the QR code; undefined leaves the code out. */
  readonly address: string | undefined;
}

export function Label({ plant: { id, name, tag }, size, address }: LabelProps) {
  return (
    <li class={`label label-${size.key}`}>
      {address === undefined ? <span class="qr" /> : <QrCode text={address} title={`QR code for plant ${id}`} />}
      <div class="label-text">
        <p class="label-name">
          <bdi>{name === '' ? 'no name' : name}</bdi>
        </p>
        <p class="label-id" style={{ '--length': String(id).length }}>
          {String(id)}
        </p>
        {tag !== undefined && tag !== '' && (
          <p class="label-tag">
            <bdi>{tag}</bdi>
          </p>
        )}
      </div>
    </li>
  );
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
