/**
 * The address in the QR codes: where a phone opens the plant; and what is on the labels. Kept in the browser, as it is the same for every label
 * of a shop.
 */
import { Observable } from '../observable.ts';
import { serviceUrl, toStorageKey } from '../session/service-url.ts';
import { readStored, writeStored } from '../ui/stored-text.ts';

const addressKey = toStorageKey('label-address');

/** This console, as this browser reaches it. */
export const ownAddress = `${serviceUrl}/console`;

/** As typed; '' stands for `ownAddress`. */
export const labelAddress = new Observable<string>(readStored('localStorage', addressKey) ?? '');

const partsKey = toStorageKey('label-parts');

/** Names of what is on the labels. */
export const keptParts = new Observable<string>(readStored('localStorage', partsKey) ?? 'code id tag');

export function keepParts(parts: string): void {
  writeStored('localStorage', partsKey, parts);
  keptParts.set(parts);
}

/** A wrong one is not kept: the next visit would have no codes. */
export function setLabelAddress(text: string): void {
  labelAddress.set(text);
  if (toPlantAddress(text, 0n) !== undefined)
    writeStored('localStorage', addressKey, text.trim() === '' ? undefined : text);
}

/** Bytes of the largest QR code that says its encoding (ISO/IEC 18004: version 40, level M). */
const addressLengthMax = 2_330;

/** The address of a plant; undefined when `text` is not an http or https address, or too long for a QR code. */
export function toPlantAddress(text: string, id: bigint): string | undefined {
  const trimmed = text.trim() === '' ? ownAddress : text.trim();
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const address = new URL(trimmed);
  address.searchParams.set('plant', String(id));
  return address.href.length > addressLengthMax ? undefined : address.href;
}
