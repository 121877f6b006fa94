/** Reads plants. Lists and searches are in read-plant-page.ts, snapshots in read-snapshot.ts. */
import type { PlantPage, PlantQuery, TagCounts, TagQuery } from '../../../domain/store.ts';
import type { Semaphore } from '../../../limits/semaphore.ts';
import { toPrefixRange } from '../../prefix-range.ts';
import type { PlantReads } from '../../queued-store.ts';
import { hasWords } from '../../search-terms.ts';
import type { ConnectionPool } from '../connect/connection-pool.ts';
import type { Rows, Statement } from '../connect/connection.ts';
import { type OnConnection, type BoundStatement, runStatement } from '../connect/statement.ts';
import type { Division } from '../division.ts';
import { readPlantPage } from './read-plant-page.ts';
import { readSnapshot } from './read-snapshot.ts';
import { plantColumns, toPlant } from './values.ts';

const selectOne: Statement = {
  name: 'find-plant',
  text: `SELECT ${plantColumns} FROM plants WHERE id = $1 AND bucket = $2`,
};
const selectCount: Statement = {
  name: 'count-plants',
  text: 'SELECT coalesce(sum(plants), 0)::int8 AS plants FROM plant_counts',
};

export interface PlantReadsOptions {
  /** Reads rows by their key. */
  readonly readPoint: OnConnection;
  /** Reads what may take longer. */
  readonly readList: OnConnection;
  readonly division: () => Division;
  readonly snapshots: ConnectionPool;
  /** Limits the searches that run and wait. */
  readonly searches: Semaphore;
}

export function preparePlantReads({
  readPoint,
  readList,
  division,
  snapshots,
  searches,
}: PlantReadsOptions): PlantReads {
  const list = (query: PlantQuery): Promise<PlantPage> =>
    readPlantPage((statement) => runStatement(readList, statement), query, division());
  return {
    find: async (id) => {
      const [row] = await runStatement(readPoint, findStatement(id, division().bucketOf(id)));
      return row === undefined ? undefined : toPlant(row);
    },
    list: (query) => (hasWords(query) ? searches.run(() => list(query)) : list(query)),
    listTags: async (query) => toTagCounts(await runStatement(readList, listTagsStatement(query))),
    count: async () => {
      const [row] = await runStatement(readPoint, countStatement());
      return Number(row?.[0]);
    },
    // Other instances write to the same database.
    revision: () => undefined,
    snapshot: (filter) => readSnapshot(snapshots, division(), filter),
  };
}

function findStatement(id: bigint, bucket: number): BoundStatement {
  return { statement: selectOne, values: [id, bucket] };
}

export function countStatement(): BoundStatement {
  return { statement: selectCount, values: [] };
}

/**
 * The number of all plants beside each tag of a page, or beside null if there is none: one
 * statement sees one state. A tag whose plants are all gone may still have rows, which add up
 * to 0.
 */
function listTagsStatement({ prefix = '', after, limit }: TagQuery): BoundStatement {
  const { from, to } = toPrefixRange(prefix);
  const isAfter = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(from)) >= 0;
  const values: unknown[] = [isAfter ? after : from, limit];
  const conditions = [`tag_head >= left($1, 100) AND tag ${isAfter ? '>' : '>='} $1`];
  if (to !== undefined) {
    values.push(to);
    conditions.push('tag_head <= left($3, 100) AND tag < $3');
  }
  return {
    statement: {
      name: `list-tags${isAfter ? '-after' : ''}${to === undefined ? '' : '-within'}`,
      text: `WITH stored AS MATERIALIZED (${selectCount.text}), page AS MATERIALIZED (
          SELECT tag_head, tag, sum(plants)::int8 AS plants FROM tag_counts WHERE ${conditions.join(' AND ')}
          GROUP BY tag_head, tag HAVING sum(plants) > 0 ORDER BY tag_head, tag LIMIT $2
        )
        SELECT stored.plants, page.tag, page.plants FROM stored LEFT JOIN page ON true ORDER BY tag_head, tag`,
    },
    values,
  };
}

function toTagCounts(rows: Rows['rows']): TagCounts {
  const found = rows as readonly (readonly [stored: bigint, tag: string | null, plants: bigint])[];
  return {
    tags: found.flatMap(([, tag, plants]) => (tag === null ? [] : [{ tag, plants }])),
    stored: Number(found[0]?.[0]),
  };
}
