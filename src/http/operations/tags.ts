/** The handler of tags. */
import type { TagCount } from '../../domain/schemas.ts';
import type { Store } from '../../domain/store.ts';
import { toJson } from '../../json/to-json.ts';
import type { Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';
import { readTextCursor, toPage, toTextCursor } from './paging.ts';

/** GET /tags: the tags in use, ascending, with their numbers of plants. */
export async function listTags({ parameters }: Call<'listTags'>, { plants }: Store): Promise<Reply> {
  const { limit, cursor, ...filter } = parameters;
  const { prefix = '' } = filter;
  // The prefix is in the link once: twice may be more than a request can hold.
  const after = cursor === undefined ? undefined : prefix + readTextCursor(cursor);
  const { tags, stored } = await plants.listTags({ ...filter, after, limit: limit + 1 });
  const write = {
    toRowJson: ({ tag, plants: count }: TagCount) => toJson({ tag, plants: count }),
    toCursor: ({ tag }: TagCount) => toTextCursor(tag.slice(prefix.length)),
  };
  return toPage(tags, { ...parameters }, write, { 'plants-stored': String(stored) });
}
