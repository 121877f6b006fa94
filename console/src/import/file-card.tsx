/** The chosen file: its name, and its columns until it is imported. */
import { Icon } from '../ui/icons.tsx';
import { toSize } from '../ui/numbers.ts';
import { ColumnFields } from './column-fields.tsx';
import type { ImportState } from './import-state.ts';

export function FileCard({ chosen, isDryRun }: Required<Pick<ImportState, 'chosen' | 'isDryRun'>>) {
  const { file, preview, csv } = chosen;
  return (
    <section class="file" aria-label="File">
      <header class="file-head">
        <Icon name="file" />
        <div>
          <h2>{file.name}</h2>
          <p class="soft small">{toSize(file.size)}</p>
        </div>
      </header>
      {isDryRun && csv !== undefined && preview !== undefined && <ColumnFields csv={csv} />}
    </section>
  );
}
