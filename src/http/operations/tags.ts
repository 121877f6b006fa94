/** The handler of tags. */
import type { Store } from '../../domain/store.ts';
import { ok, type Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';
import { readTextCursor, toPage, toTextCursor } from './paging.ts';

/** GET /tags: the tags in use, ascending, with their numbers of plants. */
export async function listTags({ parameters, path }: Call<'listTags'>, { plants }: Store): Promise<Reply> {
  const { limit, cursor, ...filter } = parameters;
  const after = cursor === undefined ? undefined : readTextCursor(cursor);
  const [found, stored] = await Promise.all([plants.listTags({ ...filter, after, limit: limit + 1 }), plants.count()]);
  const { rows, link } = toPage(found, path, { ...parameters }, ({ tag }) => toTextCursor(tag));
  const texts = rows.map(({ tag, plants: count }) => `{"tag":${JSON.stringify(tag)},"plants":${count}}`);
  return ok(`[${texts.join(',')}]`, { ...link, 'plants-stored': String(stored) });
}
