/** Pages of plants, tags and changes that a model can read at once. */
import { toJson } from '../json/to-json.ts';
import { ToolError } from './arguments.ts';

/** Maximum length of the plants, tags or changes of a result, in UTF-16 units of their JSON. */
const resultLengthMax = 50_000;

/** Reads again with half of the page while the items are too long: names and tags can be. */
export async function readShort<Page extends { readonly items: readonly unknown[] }>(
  limit: number,
  read: (pageSize: number) => Promise<Page>,
): Promise<Page> {
  for (let pageSize = limit; ; pageSize = Math.ceil(pageSize / 2)) {
    const page = await read(pageSize);
    if (pageSize === 1 || toJson(page.items).length <= resultLengthMax) return page;
  }
}

/** @throws ToolError for a `next` that no page of this list has named, or that is not alone. */
export async function readPage<Page extends { readonly items: readonly unknown[] }>(
  { next: address, ...others }: { readonly next: string | undefined },
  limit: number,
  read: (address: string | undefined, pageSize: number) => Promise<Page>,
): Promise<Page> {
  if (address !== undefined && Object.values(others).some((value) => value !== undefined))
    throw new ToolError('Cannot use "next" with other arguments: it stands for all of them');
  try {
    return await readShort(limit, (pageSize) =>
      read(address === undefined ? address : withSize(address, pageSize), pageSize),
    );
  } catch (error) {
    if (error instanceof TypeError && address !== undefined)
      throw new ToolError('Cannot use "next": pass it as an earlier result of this tool gave it');
    throw error;
  }
}

/** The address of a page with another size; as it is if it cannot be one. */
function withSize(address: string, pageSize: number): string {
  const url = URL.parse(address);
  url?.searchParams.set('limit', String(pageSize));
  return url?.href ?? address;
}
