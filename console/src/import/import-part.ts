/** The part of the page that load-import.tsx loads: what the rest uses of the import. */
import { quotePasted } from './convert-csv.ts';
import { ImportView } from './import-view.tsx';
import { importer } from './use-import.ts';

export const importPart = {
  ImportView,
  isImporting: (): boolean => importer.isImporting,
  /** @param data a text is rows of a spreadsheet, as pasted. */
  choose: (data: File | string): void => {
    void importer.choose(typeof data === 'string' ? new File([quotePasted(data)], 'Pasted rows') : data);
  },
};
export type ImportPart = typeof importPart;
