/** The handler of tags. */
import type { Store } from '../../domain/store.ts';
import { toJson } from '../../json/to-json.ts';
import { ok, type Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';
import { readTextCursor, toPage, toTextCursor } from './paging.ts';

/** GET /tags: the tags in use, ascending, with their numbers of plants. */
export async function listTags({ parameters }: Call<'listTags'>, { plants }: Store): Promise<Reply> {
  const { limit, cursor, ...filter } = parameters;
  const { prefix = '' } = filter;
  // The prefix is in the link once: twice may be more than a request can hold.
  const after = cursor === undefined ? undefined : prefix + readTextCursor(cursor);
  const { tags, stored } = await plants.listTags({ ...filter, after, limit: limit + 1 });
  const { rows, link } = toPage(tags, { ...parameters }, ({ tag }) => toTextCursor(tag.slice(prefix.length)));
  return ok(toJson(rows.map(({ tag, plants: count }) => ({ tag, plants: count }))), {
    ...link,
    'plants-stored': String(stored),
  });
}
