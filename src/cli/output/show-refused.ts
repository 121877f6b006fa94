/** The rows that an import refused, a line for each; those in another encoding share one. */
import type { ImportReport } from '../../client/client.ts';
import { errors } from '../../domain/error-registry.ts';
import type { Output } from '../command-context.ts';
import { toCount } from './to-count.ts';
import { toPrintable } from './to-printable.ts';

const notUtf8 = errors.body_not_utf8.number;
const advice =
  'not UTF-8. The file is probably Windows-1252: save it as UTF-8 (in a spreadsheet, as "CSV UTF-8"), or convert it with iconv -f WINDOWS-1252 -t UTF-8';

export function showRefused(path: string, { errors, refused }: ImportReport, stderr: Output): void {
  const write = (text: string): void => stderr.write(`${toPrintable(`${path}${text}`)}\n`);
  const foreign = errors.filter(({ error }) => error === notUtf8);
  for (const refusal of errors) {
    const { line, error, message } = refusal;
    if (error !== notUtf8) write(`:${line}: ${message} (error ${error})`);
    else if (refusal === foreign[0])
      write(
        `:${line}: ${foreign.length === 1 ? 'This row is' : `${toCount(foreign.length, 'row')} from here on are`} ${advice} (error ${error})`,
      );
  }
  const hidden = refused - BigInt(errors.length);
  if (hidden > 0n) write(`: ${toCount(hidden, 'more row')} ${hidden === 1n ? 'was' : 'were'} refused`);
}
