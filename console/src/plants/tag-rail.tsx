/** The largest tags beside the list, one click away. Shown where there is room. */
import { useValue } from '../observable.ts';
import { route } from '../route.ts';
import { toGrouped } from '../ui/numbers.ts';
import { TagDot } from '../ui/plant-text.tsx';
import { largestTags, tally } from './tags.ts';
import { tagLink } from './toolbar.tsx';

const tagsMax = 12;

export function TagRail() {
  const known = useValue(tally);
  const { tag: chosen, view } = useValue(route);
  const tags = largestTags(known?.tags.filter(({ tag }) => tag !== '') ?? [], tagsMax);
  if (tags.length === 0) return null;
  return (
    <nav class="rail" aria-label="Tags">
      <h2>Tags</h2>
      <ul>
        {tags.map(({ tag, plants }) => (
          <li key={tag}>
            <a
              class="rail-link"
              aria-current={view === 'plants' && tag === chosen ? 'true' : undefined}
              {...tagLink(tag)}
            >
              <TagDot tag={tag} />
              <bdi>{tag}</bdi>
              <span class="rail-count">{toGrouped(plants)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
