/** What the check of a database reports: each kind of disagreement, and nothing else. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { plantFields } from '../../../src/domain/plant.ts';
import type { Engine } from '../../../src/store/postgres/division.ts';
import { divisionOf } from '../../../src/store/postgres/citus/divided.ts';
import { findProblems } from '../../../src/store/postgres/maintenance/check.ts';
import { onePlant, otherPlant } from '../../support/field-values.ts';
import {
  createDatabase,
  createMigratedDatabase,
  openOn,
  type TemporaryDatabase,
  withConnection,
} from './open-temporary-database.ts';
import { findServer } from './servers.ts';

const withinMs = 120_000;

type Drift = readonly [about: string, statements: readonly string[], problem: string];

for (const engine of ['postgres', 'citus'] satisfies Engine[]) {
  describe(`findProblems() (${engine})`, () => {
    const bucket = divisionOf[engine].bucketOf(5n);
    let database: TemporaryDatabase | undefined;
    const base = (): TemporaryDatabase => database ?? assert.fail('the database exists');
    before(async () => {
      database = await createMigratedDatabase(await findServer(18), engine);
      const store = await openOn(base());
      for (let id = 1n; id <= 8n; id += 1n)
        await store.plants.create({ ...onePlant, id, name: `plant ${id}`, tag: 'a' });
      await store.plants.put({ ...otherPlant, id: 5n, name: 'moss', tag: 'a' }, {});
      await store.plants.create({ id: 9n, name: 'gone' });
      await store.plants.delete(9n, {});
      await store.changes.latest();
      // Changes of 6 that wait for the log.
      await store.plants.put({ id: 6n, name: 'fern', tag: 'a' }, {});
      await store.close();
    });
    after(() => database?.remove());

    /** The problems of a copy of the database after the statements. */
    const findAfter = async (statements: readonly string[]): Promise<readonly string[]> => {
      const copy = await createDatabase(await findServer(18), base().name);
      try {
        return await withConnection(copy, async (connection) => {
          for (const statement of statements) await connection.run(statement, [], withinMs);
          return findProblems(connection);
        });
      } finally {
        await copy.remove();
      }
    };

    it('finds nothing wrong with a sound database', async () => {
      assert.deepEqual(await findAfter([]), []);
    });

    it('names everything of a table that is missing', async () => {
      const problems = await findAfter(['DROP TABLE webhook_deliveries']);
      assert.ok(problems.includes('The table webhook_deliveries is missing'), problems.join('\n'));
    });

    it('does not miss the changes that were trimmed', async () => {
      const trim = ['DELETE FROM changes WHERE position <= 8', 'UPDATE change_log SET trimmed = 8'];
      assert.deepEqual(await findAfter(trim), []);
    });

    const drifts: readonly Drift[] = [
      [
        'a plant without a change',
        [
          `INSERT INTO plants VALUES (77, 'x', NULL, ' x|', ${divisionOf[engine].bucketOf(77n)})`,
          'UPDATE plant_counts SET plants = plants + 1 WHERE ctid = (SELECT ctid FROM plant_counts LIMIT 1)',
        ],
        '1 plants have no change in the log',
      ],
      [
        'a creation that is missing before a later change',
        ["UPDATE changes SET name_before = 'x' WHERE position = 5"],
        '1 plants have no creation in the log',
      ],
      [
        'a changeset that was skipped',
        ['UPDATE change_log SET moved = ARRAY[(SELECT max(seq) FROM change_batches)]'],
        'The last changes of 1 plants are not the plants as they are stored',
      ],
      ...plantFields.flatMap((field): Drift[] => [
        [
          `a plant whose ${field} is not what its last change says`,
          [`UPDATE changes SET ${field} = NULL WHERE id = 1`],
          'The last changes of 1 plants are not the plants as they are stored',
        ],
        [
          `a change whose ${field} does not follow from the one before`,
          [`UPDATE changes SET ${field}_before = NULL WHERE id = 5 AND name = 'moss'`],
          '1 changes do not follow from the change before them',
        ],
      ]),
      ['a lost change', ['UPDATE change_log SET last = last + 1'], 'The change log has a gap'],
      [
        'a group that is missing',
        ['UPDATE changes SET change_group = 7 WHERE id = 5'],
        'The groups of changes are not those of the change log',
      ],
      [
        'a group without changes',
        [`INSERT INTO change_groups (name) VALUES ('x')`],
        'The groups of changes are not those of the change log',
      ],
      [
        'a wrong count',
        ['UPDATE plant_counts SET plants = plants + 1 WHERE ctid = (SELECT ctid FROM plant_counts LIMIT 1)'],
        'There are 8 plants, but their count is 9',
      ],
      [
        'a plant in a wrong bucket',
        [`UPDATE plants SET bucket = ${bucket + 1} WHERE id = 5`],
        'Plant 5 is in a wrong bucket',
      ],
      ['an index that is missing', ['DROP INDEX plants_by_word'], 'The index plants_by_word is missing'],
      [
        'a column with another collation',
        ['ALTER TABLE webhooks ALTER document TYPE text COLLATE "C"'],
        'The column webhooks.document is "text NOT NULL C" where this program made "text NOT NULL"',
      ],
      [
        'a row that is missing',
        ['DELETE FROM delivery_lease'],
        'The table delivery_lease does not have the rows that it was made with',
      ],
      ['wrong words', [`UPDATE plants SET words = ' x|' WHERE id = 5`], 'The search index has wrong words for plant 5'],
      [
        'a webhook that cannot be read',
        [`INSERT INTO webhooks VALUES ('w1', 1, '{"id":"w1","createdAt":1}'), ('w2', 1, '{"id":')`],
        'A webhook cannot be read: w2',
      ],
      [
        'a delivery that cannot be read',
        [
          `INSERT INTO webhooks VALUES ('w1', 1, '{"id":"w1","createdAt":1}')`,
          `INSERT INTO webhook_deliveries VALUES ('w1', 1, 'm1', 1, '{"id":"m1","createdAt":1}'), ('w1', 2, 'm2', 1, 'null')`,
        ],
        'A delivery of the webhook w1 cannot be read: m2',
      ],
    ];
    for (const [about, statements, problem] of drifts)
      it(`finds ${about}, and nothing else`, async () => assert.deepEqual(await findAfter(statements), [problem]));
  });
}
