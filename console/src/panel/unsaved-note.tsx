/** Says which plants wait for the service in forms that were closed, as long as they do. */
import { navigate, viewChange } from '../route.ts';
import { awayText } from '../session/reasons.ts';
import { toCount } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { useUnsaved } from '../form/use-editor.ts';

export function UnsavedNote() {
  const names = useUnsaved();
  const last = [...names].at(-1);
  if (last === undefined) return null;
  const [key, name] = last;
  const others = names.size > 1 ? ` and ${toCount(names.size - 1, 'other')}` : '';
  return (
    <div class="toast toast-bad">
      <p>
        {toQuoted(name)}
        {others} may not be saved yet. {awayText} {names.size > 1 ? 'They' : 'It'} will be saved automatically.
      </p>
      <button type="button" class="toast-action" onClick={() => navigate({ ...viewChange('plants'), plant: key })}>
        Open
      </button>
    </div>
  );
}
