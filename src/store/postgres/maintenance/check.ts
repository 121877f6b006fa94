/** Compares what is derived from the plants with them, and reads the webhooks. Changes nothing. */
import { plantFields } from '../../../domain/plant.ts';
import { stateColumns } from '../../change-pages.ts';
import type { CheckResult } from '../../check-result.ts';
import { findDocumentProblem, selectDocuments } from '../../webhook-documents.ts';
import { divisionOf } from '../citus/divided.ts';
import type { Connection, Rows } from '../connect/connection.ts';
import type { Division } from '../division.ts';
import { findElsewhere, findSchemaProblem, readSchema } from './migrations.ts';
import { stateLists } from '../log/change-rows.ts';
import { plantColumns, toPlant } from '../read/values.ts';
import { toWordText } from '../read/plant-search.ts';
import { compareSchema } from './compare-schema.ts';

const statementWithinMs = 600_000;
const chunkRows = 10_000;
/** A delivery may be a hundred times as long as a plant. */
const chunkDocuments = 100;

/** @throws Error when this program does not know the schema. */
export async function checkDatabase(connection: Connection): Promise<CheckResult> {
  const schema = await readSchema(connection);
  const problem = (await findElsewhere(connection, schema)) ?? findSchemaProblem(schema);
  if (schema === undefined || problem !== undefined) throw new Error(problem);
  const problems = await findProblems(connection);
  const { rows } = await connection.run(
    `SELECT (SELECT count(*) FROM plants), (SELECT count(DISTINCT tag) FROM plants), (SELECT count(*) FROM tokens),
       pg_database_size(current_database()), current_setting('server_version')`,
    [],
    statementWithinMs,
  );
  const [plants, tags, tokens, bytes, version] = rows[0] ?? [];
  return {
    plants: Number(plants),
    tags: Number(tags),
    tokens: Number(tokens),
    schemaVersion: schema.number,
    bytes: Number(bytes),
    problems,
    postgresVersion: String(version),
  };
}

/** What is wrong, one sentence each. */
export async function findProblems(connection: Connection): Promise<readonly string[]> {
  const run = (sql: string, values: readonly unknown[] = []): ReturnType<Connection['run']> =>
    connection.run(sql, values, statementWithinMs);
  const { engine } = (await readSchema(connection)) ?? { engine: 'postgres' };
  const differences = await compareSchema(connection, engine);
  // The questions below would fail.
  if (differences.some((each) => /^The (table|column) \S+ is missing$/.test(each))) return differences;
  await run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return [
      ...differences,
      ...(await findMissingRows(run, divisionOf[engine])),
      ...(await findWrongCounts(run)),
      ...(await findWrongChanges(run)),
      ...(await findWrongRows(run, divisionOf[engine])),
      ...(await findWrongDocuments(run)),
    ];
  } finally {
    await run('ROLLBACK');
  }
}

type Run = (sql: string, values?: readonly unknown[]) => Promise<Rows>;

/** Rows that are there from the beginning. */
async function findMissingRows(run: Run, { buckets }: Division): Promise<readonly string[]> {
  const { rows } = await run(`SELECT 'buckets', count(*) - ${buckets} FROM buckets
    UNION ALL SELECT 'change_log', count(*) - 1 FROM change_log UNION ALL SELECT 'delivery_lease', count(*) - 1 FROM delivery_lease`);
  return rows.flatMap(([table, more]) =>
    more === 0n ? [] : [`The table ${String(table)} does not have the rows that it was made with`],
  );
}

async function findWrongCounts(run: Run): Promise<readonly string[]> {
  const problems: string[] = [];
  const counts = await run(
    `SELECT (SELECT count(*) FROM plants), (SELECT coalesce(sum(plants), 0)::int8 FROM plant_counts)`,
  );
  const [plants, counted] = counts.rows[0] as [bigint, bigint];
  if (plants !== counted) problems.push(`There are ${plants} plants, but their count is ${counted}`);
  const tags = await run(`SELECT tag, coalesce(p.plants, 0), coalesce(c.plants, 0)
    FROM (SELECT tag, count(*) AS plants FROM plants WHERE tag IS NOT NULL GROUP BY tag) AS p
    FULL JOIN (SELECT tag, sum(plants)::int8 AS plants FROM tag_counts GROUP BY tag) AS c USING (tag)
    WHERE coalesce(p.plants, 0) <> coalesce(c.plants, 0) ORDER BY tag LIMIT 10`);
  for (const [tag, present, noted] of tags.rows)
    problems.push(
      `There are ${String(present)} plants with the tag ${JSON.stringify(tag)}, but their count is ${String(noted)}`,
    );
  const keys = await run(`SELECT count(*) FROM tag_counts
    WHERE tag_hash <> sha256(convert_to(tag, 'UTF8')) OR tag_head <> left(tag, 100)`);
  if (keys.rows[0]?.[0] !== 0n) problems.push(`${String(keys.rows[0]?.[0])} counts of tags have a wrong key`);
  return problems;
}

/**
 * The last change of a plant must show the plant as it is stored, and each change follow from
 * the one before. While nothing was trimmed, every plant has a change, and the first one is its
 * creation.
 */
async function findWrongChanges(run: Run): Promise<readonly string[]> {
  const states = stateColumns.join(', ');
  const lists = stateLists.join(', ');
  const lags = plantFields.map((field) => `lag(${field}) OVER earlier AS ${field}_lag`).join(', ');
  const toRow = (prefix: string, suffix = ''): string =>
    `(${plantFields.map((field) => `${prefix}${field}${suffix}`).join(', ')})`;
  const counts = await run(`WITH waiting AS (
      SELECT seq, ids, ${lists} FROM change_batches
      WHERE seq <> ALL ((SELECT moved FROM change_log)::int8[])
    ), everything AS (
      SELECT position, 0 AS number, id, ${states} FROM changes
      UNION ALL SELECT (SELECT last FROM change_log) + seq, number, id, ${states}
      FROM waiting, unnest(ids, ${lists}) WITH ORDINALITY AS row (id, ${states}, number)
    ), own AS (
      SELECT id, ${states}, ${lags},
        row_number() OVER earlier AS number,
        row_number() OVER (PARTITION BY id ORDER BY position DESC, number DESC) AS age
      FROM everything WINDOW earlier AS (PARTITION BY id ORDER BY position, number)
    )
    SELECT
      (SELECT count(*) FROM own WHERE number > 1 AND ${toRow('', '_before')} IS DISTINCT FROM ${toRow('', '_lag')}),
      (SELECT count(*) FROM own LEFT JOIN plants AS p USING (id)
        WHERE age = 1 AND ${toRow('own.')} IS DISTINCT FROM ${toRow('p.')}),
      (SELECT last - trimmed FROM change_log) - (SELECT count(*) FROM changes),
      (SELECT trimmed = 0 FROM change_log),
      (SELECT count(*) FROM plants AS p WHERE NOT EXISTS (SELECT FROM own WHERE own.id = p.id)),
      (SELECT count(*) FROM own WHERE number = 1 AND name_before IS NOT NULL),
      (SELECT count(*) FROM (SELECT DISTINCT change_group FROM changes WHERE change_group IS NOT NULL) AS c
        FULL JOIN change_groups ON key = change_group WHERE key IS NULL OR change_group IS NULL)`);
  const [broken, wrong, gap, isComplete, silent, unborn, groups] = counts.rows[0] as readonly [
    ...[bigint, bigint, bigint],
    ...[boolean, bigint, bigint, bigint],
  ];
  return [
    ...(broken === 0n ? [] : [`${broken} changes do not follow from the change before them`]),
    ...(wrong === 0n ? [] : [`The last changes of ${wrong} plants are not the plants as they are stored`]),
    ...(gap === 0n ? [] : ['The change log has a gap']),
    ...(groups === 0n ? [] : ['The groups of changes are not those of the change log']),
    ...(isComplete && silent !== 0n ? [`${silent} plants have no change in the log`] : []),
    ...(isComplete && unborn !== 0n ? [`${unborn} plants have no creation in the log`] : []),
  ];
}

/** The words and the bucket of each plant are made again; the database compares the words. */
async function findWrongRows(run: Run, { bucketOf }: Division): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const rows of inChunks(run, `SELECT ${plantColumns}, bucket FROM plants`, chunkRows)) {
    const plants = rows.map(toPlant);
    const wrong = await run(
      `SELECT p.id FROM unnest($1::int8[], $2::text[]) AS row (id, words) JOIN plants AS p USING (id)
       WHERE p.words <> row.words`,
      [plants.map(({ id }) => id), plants.map(toWordText)],
    );
    for (const [at, { id }] of plants.entries())
      if (bucketOf(id) !== rows[at]?.at(-1)) problems.push(`Plant ${String(id)} is in a wrong bucket`);
    for (const [id] of wrong.rows) problems.push(`The search index has wrong words for plant ${String(id)}`);
  }
  return problems;
}

async function findWrongDocuments(run: Run): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const rows of inChunks(run, selectDocuments, chunkDocuments)) {
    for (const [webhook, id, document] of rows as [string | null, string, string][]) {
      const problem = findDocumentProblem(webhook ?? undefined, id, document);
      if (problem !== undefined) problems.push(problem);
    }
  }
  return problems;
}

/** Yields the rows of a query, at most `size` at once. */
async function* inChunks(run: Run, query: string, size: number): AsyncGenerator<Rows['rows'], undefined> {
  await run(`DECLARE chunks NO SCROLL CURSOR FOR ${query}`);
  for (;;) {
    const { rows } = await run(`FETCH ${size} FROM chunks`);
    if (rows.length === 0) break;
    yield rows;
  }
  await run('CLOSE chunks');
}
