/** The largest tags beside the list, one click away. One tab stop: the arrow keys move inside. */
import { useRef, useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { route, tagLink, toLink, viewChange } from '../route.ts';
import { keyOf } from '../ui/keys.ts';
import { toGrouped } from '../ui/numbers.ts';
import { CountedTag } from '../ui/plant-text.tsx';
import { suggestTags } from '../copy/tag-search.ts';
import { countOf, tally } from '../copy/tags.ts';
import { keyTarget } from './grid-keys.ts';

const tagsMax = 12;

export function TagRail() {
  const known = useValue(tally);
  const { tag: chosen, view } = useValue(route);
  const list = useRef<HTMLUListElement>(null);
  const [stop, setStop] = useState(0);
  const all = known?.tags ?? [];
  const found = suggestTags('', all);
  const tags = found.slice(0, tagsMax);
  const hasMore = found.length > tagsMax;
  if (tags.length === 0) return null;
  const untagged = countOf(known, { untagged: true }) ?? 0;
  const links = [...tags, ...(untagged > 0 ? [{ tag: null, plants: untagged }] : [])];
  const last = links.length - (hasMore ? 0 : 1);
  const tabStop = Math.min(stop, last);
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = keyTarget(keyOf(event), tabStop, 1, last + 1);
    if (target === undefined) return;
    event.preventDefault();
    list.current?.querySelectorAll<HTMLElement>('.rail-link')[target]?.focus();
  };
  return (
    <nav class="rail" aria-label="Tags">
      <h2>Tags</h2>
      <ul ref={list} onKeyDown={onKeyDown}>
        {links.map(({ tag, plants }, at) => (
          <li key={tag}>
            <a
              class="rail-link"
              tabIndex={at === tabStop ? 0 : -1}
              aria-current={view === 'plants' && tag === chosen ? 'true' : undefined}
              onFocus={() => setStop(at)}
              {...tagLink(tag)}
            >
              <CountedTag tag={tag} plants={plants} />
            </a>
          </li>
        ))}
        {hasMore && (
          <li>
            <a
              class="rail-link rail-more"
              tabIndex={tabStop === links.length ? 0 : -1}
              onFocus={() => setStop(links.length)}
              {...toLink(viewChange('tags'))}
            >
              All {known?.isWhole === true && toGrouped(all.length)} tags
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}
