/** The handler of tags. */
import type { Store } from '../../domain/store.ts';
import { ok, type Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';
import { linkToNext, readTextCursor, toTextCursor } from './paging.ts';

/** GET /tags: the tags in use, ascending, with their numbers of plants. */
export async function listTags({ parameters, path }: Call<'listTags'>, { plants }: Store): Promise<Reply> {
  const { limit, cursor, prefix } = parameters;
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
  const link =
    found.length > limit && last !== undefined
      ? linkToNext(path, { ...parameters, cursor: toTextCursor(last.tag) })
      : {};
  const rows = page.map(({ tag, plants: count }) => `{"tag":${JSON.stringify(tag)},"plants":${count}}`);
  return ok(`[${rows.join(',')}]`, { ...link, 'plants-stored': String(stored) });
}
