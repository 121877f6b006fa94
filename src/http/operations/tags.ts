/** The handler of tags. */
import type { ListTagsParameters } from '../../domain/schemas.ts';
import type { PlantStore } from '../../domain/store.ts';
import { linkToNext, readTextCursor, toTextCursor } from './paging.ts';
import { type Answer, ok } from '../wire/reply.ts';

/** GET /tags: the tags in use, ascending, each with the number of plants that have it. */
export async function listTags(query: ListTagsParameters, plants: PlantStore, path: string): Promise<Answer> {
  const { limit, cursor, prefix } = query;
  const [found, stored] = await Promise.all([
    plants.listTags({
      limit: limit + 1,
      ...(cursor === undefined ? {} : { after: readTextCursor(cursor) }),
      ...(prefix === undefined ? {} : { prefix }),
    }),
    plants.count(),
  ]);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const link = found.length > limit && last !== undefined ? linkToNext(path, query, toTextCursor(last.tag)) : {};
  const rows = page.map(({ tag, plants: count }) => `{"tag":${JSON.stringify(tag)},"plants":${count}}`);
  return ok(`[${rows.join(',')}]`, { ...link, 'plants-stored': String(stored) });
}
