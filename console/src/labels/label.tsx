/** One label: name, id and tag for people, the QR code for phones. */
import { useMemo } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import type { LabelSize } from './label-sizes.ts';
import { cutToBytes } from './qr-codewords.ts';
import { type QrCode, toQrCode } from './qr-code.ts';

/** Light modules around a code (ISO/IEC 18004, clause 6.3.8). */
const quietModules = 4;

export function Label({ plant: { id, name, tag }, size }: { readonly plant: StoredPlant; readonly size: LabelSize }) {
  const text = cutToBytes(`${id}\n${name}`, size.qrBytesMax);
  const code = useMemo(() => toQrCode(text), [text]);
  return (
    <li class={`label label-${size.key}`}>
      <QrDrawing code={code} title={`QR code of ${id} ${name}`} text={text} />
      <div class="label-text">
        <p class="label-name">
          <bdi>{name === '' ? 'no name' : name}</bdi>
        </p>
        <p class="label-id">{String(id)}</p>
        {tag !== undefined && tag !== '' && (
          <p class="label-tag">
            <bdi>{tag}</bdi>
          </p>
        )}
      </div>
    </li>
  );
}

function QrDrawing({ code, title, text }: { readonly code: QrCode; readonly title: string; readonly text: string }) {
  const size = code.length + 2 * quietModules;
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={title}
      data-text={text}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={toPath(code)} fill="#000" />
    </svg>
  );
}

/** Dark modules of a row that touch are one rectangle: no hairlines between them, and less to draw. */
function toPath(code: QrCode): string {
  let path = '';
  for (const [y, row] of code.entries()) {
    for (let x = 0; x < row.length; x++) {
      if (row[x] !== true) continue;
      const start = x;
      while (row[x + 1] === true) x++;
      path += `M${start + quietModules} ${y + quietModules}h${x - start + 1}v1h-${x - start + 1}z`;
    }
  }
  return path;
}
