/** The service and its commands on a database: from an empty one to a served plant, and without a database at all. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Rows } from '../../../src/store/postgres/connect/connection.ts';
import { firstSchema } from '../../../src/store/postgres/schema.ts';
import { runCli } from '../../cli/run-cli.ts';
import { request } from '../../support/request.ts';
import { canaryToken, type Service, type ServiceOptions } from '../../support/service-run.ts';
import { startService } from '../../support/start-service.ts';
import { startReceiver, verify } from '../../webhooks/receiver.ts';
import { startProxy } from './interfering-proxy.ts';
import {
  createDatabase,
  createMigratedDatabase,
  runAsAdmin,
  type TemporaryDatabase,
  withConnection,
} from './open-temporary-database.ts';
import { findServer } from './servers.ts';
import { makeFolder } from '../../support/clean-up.ts';
import { until } from '../../support/until.ts';

/** Makes a user of the database, and removes both when the test ends. Resolves to its name. */
async function createRole(
  t: TestContext,
  server: Awaited<ReturnType<typeof findServer>>,
  database: TemporaryDatabase,
  options = '',
): Promise<string> {
  const role = `user_${database.name}`;
  t.after(async () => {
    await database.remove();
    await runAsAdmin(server, `DROP ROLE ${role}`);
  });
  await runAsAdmin(server, `CREATE ROLE ${role} LOGIN PASSWORD 'change-me' ${options}`);
  return role;
}

/** A user with the rights of deploy/postgres, on a database with tables. Resolves to its name. */
async function createWriter(
  t: TestContext,
  server: string,
  database: TemporaryDatabase,
  options = '',
): Promise<string> {
  const role = await createRole(t, server, database, options);
  await withConnection(database, async (connection) => {
    await connection.run(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`, [], 60_000);
    await connection.run(`GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`, [], 60_000);
  });
  return role;
}

/** What a service says that does not start. On a busy machine it may find the database too slow, start without it, and is tried again. */
async function refusalOf(t: TestContext, options: ServiceOptions): Promise<string> {
  const start = async (): Promise<string | undefined> => {
    try {
      await (await startService(t, options)).stop();
      return undefined;
    } catch (error) {
      return String(error);
    }
  };
  return until(start, 'a start is refused');
}

/** Asks whether the service is ready until it answers so. */
async function untilReady(service: Service, status: number): Promise<void> {
  const isSo = async (): Promise<boolean> => (await request(service, { path: '/readyz' })).status === status;
  await until(isSo, `/readyz is answered with ${status}`);
}

/** The URL of a database for another user. */
function urlAs(user: string, { url }: TemporaryDatabase): string {
  return url.replace(/\/\/[^@]*@/, `//${user}:change-me@`);
}

let database: TemporaryDatabase | undefined;
const url = (): string => database?.url ?? assert.fail('the database exists');
before(async () => {
  database = await createMigratedDatabase(await findServer(18));
});
after(async () => database?.remove());

const hostile: readonly (readonly [about: string, sql: (role: string) => string, refusal: RegExp])[] = [
  [
    'a policy on plants',
    () => 'ALTER TABLE plants ENABLE ROW LEVEL SECURITY',
    /security hides rows of the table plants/,
  ],
  [
    'a policy on the changes',
    () => 'ALTER TABLE change_batches ENABLE ROW LEVEL SECURITY',
    /security hides rows of the table change_batches/,
  ],
  [
    'a right that is missing',
    (role) => `REVOKE INSERT ON change_batches FROM ${role}`,
    /lacks INSERT on the table change_b/,
  ],
  ['a table that is missing', () => 'DROP TABLE tag_counts', /its table tag_counts is missing/],
  ['a table that a crash empties', () => 'ALTER TABLE plants SET UNLOGGED', /the table plants is not logged/],
];

describe('the service and its tables on PostgreSQL', () => {
  it('is refused without tables, with one line that names the command', async (t) => {
    const own = await createDatabase(await findServer(18));
    t.after(() => own.remove());
    const refusal = await refusalOf(t, { env: { DATABASE_URL: own.url } });
    assert.match(refusal, /it has no tables yet; run "plant-store migrate"/);
    assert.doesNotMatch(refusal, new RegExp(new URL(own.url).password));
  });

  it(
    'makes the tables itself with --migrate, also of a database that it reaches later',
    { timeout: 120_000 },
    async (t) => {
      const own = await createDatabase(await findServer(18));
      t.after(() => own.remove());
      const proxy = await startProxy(t, own.url);
      proxy.goAway();
      const env = { DATABASE_URL: proxy.url, PLANT_STORE_MIGRATE: 'true' };
      const service = await startService(t, { env });
      assert.equal((await request(service, { body: '{"id":1,"name":"fern"}' })).status, 503);
      await proxy.comeBack();
      // The time-out of the test ends this.
      while ((await request(service, { body: '{"id":1,"name":"fern"}' })).status !== 200);
      assert.match(service.output(), new RegExp(`brought up to date \\(schema ${firstSchema}\\)`));
      await service.stop();
      const again = await startService(t, { flags: ['--migrate'], env: { DATABASE_URL: own.url } });
      assert.equal((await request(again, { method: 'GET', path: '/plants' })).text, '[{"id":1,"name":"fern"}]');
      assert.doesNotMatch(again.output(), /brought up to date/);
    },
  );

  it('ends with one line when it may not make the tables, or not write to them', async (t) => {
    const server = await findServer(18);
    const own = await createDatabase(server);
    const role = await createRole(t, server, own);
    const env = { DATABASE_URL: urlAs(role, own) };
    const started = startService(t, { flags: ['--migrate'], env });
    await assert.rejects(started, /its tables cannot be brought up to date: permission denied for schema public/);
    assert.equal((await runCli(['migrate'], { DATABASE_URL: own.url })).code, 0);
    const connection = await own.connect();
    await connection.run(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`, [], 60_000);
    await connection.close();
    await assert.rejects(
      startService(t, { env }),
      new RegExp(`the user ${role} lacks UPDATE on the table plant_store_schema; see`),
    );
  });

  it('says who may create the extension for the index of words, and uses it in whatever schema it is', async (t) => {
    const server = await findServer(18);
    const own = await createDatabase(server);
    const role = await createRole(t, server, own);
    const env = { DATABASE_URL: urlAs(role, own) };
    const run = (sql: string): Promise<Rows> => withConnection(own, (connection) => connection.run(sql, [], 60_000));
    await run(`GRANT CREATE ON SCHEMA public TO ${role}`);
    const refused = await runCli(['migrate'], env);
    assert.match(
      refused.stderr,
      /: its user may not create the extension pg_trgm; run "CREATE EXTENSION pg_trgm" in this database as a superuser first\n$/,
    );
    await run(
      `CREATE SCHEMA modules; CREATE EXTENSION pg_trgm SCHEMA modules; GRANT USAGE ON SCHEMA modules TO ${role}`,
    );
    assert.equal((await runCli(['migrate'], env)).code, 0);
    const checked = await runCli(['check'], env);
    assert.deepEqual([checked.code, checked.stderr], [0, '']);
    await run('DROP EXTENSION pg_trgm CASCADE');
    assert.match(
      (await runCli(['check'], env)).stdout,
      /The extension pg_trgm is missing, and the index of words with it/,
    );
  });

  it('prints the migration, takes it, and says when there is none', async (t) => {
    const own = await createDatabase(await findServer(18));
    t.after(() => own.remove());
    const env = { DATABASE_URL: own.url };
    const planned = await runCli(['migrate', '--dry-run'], env);
    assert.match(planned.stdout, new RegExp(`^-- Schema ${firstSchema}\n[^]*CREATE TABLE plants `));
    const scripted = await createDatabase(await findServer(18));
    t.after(() => scripted.remove());
    const connection = await scripted.connect();
    await connection.run(planned.stdout, [], 60_000);
    await connection.close();
    const done = await runCli(['migrate', '--dry-run'], { DATABASE_URL: scripted.url });
    assert.equal(done.stderr, `The schema is up to date (${firstSchema})\n`);
    assert.equal((await runCli(['check'], { DATABASE_URL: scripted.url })).code, 0);
    const first = await runCli(['migrate'], env);
    assert.deepEqual([first.stdout, first.code], [`The schema is up to date now (${firstSchema})\n`, 0]);
    const second = await runCli(['migrate'], env);
    assert.equal(second.stdout, `The schema was up to date (${firstSchema})\n`);
    const other = await runCli(['migrate', '--engine', 'citus'], env);
    assert.match(other.stderr, /: it was made for the engine postgres; use a new database, and "plant-store copy"\n$/);
    assert.equal(other.code, 1);
  });

  for (const engine of ['postgres', 'citus'])
    it(`works with the roles of deploy/postgres, one that owns the tables and one that writes rows: ${engine}`, async (t) => {
      const server = await findServer(18);
      const other = await createDatabase(server);
      t.after(async () => {
        await other.remove();
        for (const role of ['plants', 'plants_owner']) await runAsAdmin(server, `DROP ROLE IF EXISTS ${role}`);
      });
      const sql = readFileSync(join(import.meta.dirname, '..', '..', '..', 'deploy', 'postgres', 'roles.sql'), 'utf8');
      const connection = await other.connect();
      await connection.run(sql, [], 60_000);
      await connection.close();
      const urlOf = (role: string): string => urlAs(role, other);
      const denied = await runCli(['migrate', '--engine', engine], { DATABASE_URL: urlOf('plants') });
      assert.match(
        denied.stderr,
        /^plant-store: Cannot migrate .*: permission denied .*; run it as a user with the right CREATE on the schema\n$/,
      );
      const migrated = await runCli(['migrate', '--engine', engine], { DATABASE_URL: urlOf('plants_owner') });
      assert.equal(migrated.code, 0, migrated.stderr);
      const again = await runCli(['migrate'], { DATABASE_URL: urlOf('plants') });
      assert.equal(again.stdout, `The schema was up to date (${firstSchema})\n`, again.stderr);
      const service = await startService(t, { env: { DATABASE_URL: urlOf('plants') } });
      assert.equal((await request(service, { body: '{"id":1,"name":"fern"}' })).status, 200);
      assert.equal((await request(service, { method: 'DELETE', path: '/plants/1' })).status, 204);
      await service.stop();
    });
});

describe('the service on PostgreSQL', () => {
  it('serves plants, checks them, and creates tokens', async (t) => {
    const env = { DATABASE_URL: url() };
    const service = await startService(t, { env });
    const created = await request(service, { body: '{"id":9007199254740993,"name":"fern","tag":"wet"}' });
    assert.equal(created.status, 200);
    const found = await request(service, { method: 'GET', path: '/plants?name=FER&tag=wet' });
    assert.equal(found.text, '[{"id":9007199254740993,"name":"fern","tag":"wet"}]');
    const made = await runCli(['token', 'create', '--name', 'ci', '--scope', 'plants:read'], env);
    assert.equal(made.code, 0, made.stderr);
    const token = made.stdout.trim();
    service.addSecret(token);
    assert.equal((await request(service, { method: 'GET', path: '/plants', token })).status, 200);
    const report = await runCli(['check', '--json'], env);
    const { plants, tags, tokens, problems } = JSON.parse(report.stdout) as Record<string, unknown>;
    assert.deepEqual({ plants, tags, tokens, problems }, { plants: 1, tags: 1, tokens: 2, problems: [] });
    for (const command of ['backup', 'restore']) {
      const refused = await runCli([command, 'plants.db'], env);
      assert.match(refused.stderr, /a PostgreSQL database with this command: use pg_/);
      assert.equal(refused.code, 1);
    }
  });

  it('refuses a revoked token on every instance soon, also in a stream of changes', async (t) => {
    const env = { DATABASE_URL: url() };
    const instances = await Promise.all([startService(t, { env }), startService(t, { env })]);
    const made = await runCli(['token', 'create', '--name', 'short', '--scope', 'plants:read'], env);
    const token = made.stdout.trim();
    for (const service of instances) service.addSecret(token);
    const id = /^Created token (\S+) /.exec(made.stderr)?.[1] ?? '';
    const statusOf = async (service: Service): Promise<number> =>
      (await request(service, { path: '/plants', token })).status;
    for (const service of instances) assert.equal(await statusOf(service), 200);
    const streams = await Promise.all(
      instances.map((service) =>
        fetch(`${service.url}/plants/changes`, {
          headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
        }),
      ),
    );
    assert.equal((await runCli(['token', 'revoke', id], env)).code, 0);
    for (const service of instances)
      await until(async () => (await statusOf(service)) === 401, 'the instance refuses the token');
    // Each ends by itself.
    for (const stream of streams) await stream.text();
  });

  it('has webhooks only with a key that is given', async (t) => {
    const env = { DATABASE_URL: url(), PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' };
    const receiver = await startReceiver(t);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ url: receiver.url, events: ['plant.created'] });
    const without = await startService(t, { env });
    assert.equal((await request(without, { path: '/webhooks', headers, body })).number, 40904);
    await without.stop();
    const folder = await makeFolder(t);
    const keyFile = join(folder, 'key');
    await writeFile(keyFile, 'short');
    const faulty = startService(t, { env: { ...env, PLANT_STORE_WEBHOOK_KEY_FILE: keyFile } });
    await assert.rejects(faulty, /must contain 32 bytes in Base64/);
    await writeFile(keyFile, `${Buffer.alloc(32, 1).toString('base64')}\n`);
    const service = await startService(t, { env: { ...env, PLANT_STORE_WEBHOOK_KEY_FILE: keyFile } });
    const created = await request(service, { path: '/webhooks', headers, body });
    assert.equal(created.status, 201, created.text);
    const { id, secret } = JSON.parse(created.text) as { id: string; secret: string };
    service.addSecret(secret);
    assert.equal((await request(service, { body: '{"id":4,"name":"sent"}' })).status, 200);
    await receiver.waitFor(1);
    for (const each of receiver.requests) verify(secret, each);
    await service.stop();
    const keyless = await startService(t, { env });
    for (const action of ['secret', 'test'])
      assert.equal((await request(keyless, { method: 'POST', path: `/webhooks/${id}/${action}` })).number, 40904);
    assert.equal((await request(keyless, { method: 'DELETE', path: `/webhooks/${id}` })).status, 204);
  });
});

describe('the service while PostgreSQL is away, refuses or is migrated', () => {
  it('starts without a database, refuses at once, and recovers by itself', { timeout: 120_000 }, async (t) => {
    const proxy = await startProxy(t, url());
    proxy.goAway();
    const service = await startService(t, { env: { DATABASE_URL: proxy.url } });
    const ready = (): ReturnType<typeof request> => request(service, { method: 'GET', path: '/readyz' });
    assert.equal((await ready()).number, 50305);
    assert.ok(
      service.logLines.some(({ level, msg }) => level === 'error' && msg.startsWith('Cannot use the database: ')),
    );
    const wrongUrl = url().replace(/\/\/[^@]*@/, '//nobody:wrong@');
    const wrongPassword = 'password authentication failed for user "nobody"';
    const list = await runCli(['token', 'list'], { DATABASE_URL: wrongUrl });
    assert.deepEqual(
      [list.code, list.stderr],
      [
        1,
        `plant-store: Cannot open ${wrongUrl.replace(':wrong', '')}: ${wrongPassword}; give the password of this user\n`,
      ],
    );
    // A start that fails says why once.
    const start = await runCli(['serve'], { PORT: '0', LOG_FORMAT: 'json', DATABASE_URL: wrongUrl });
    assert.deepEqual([start.code, start.stdout, start.stderr], [1, '', list.stderr]);
    assert.equal((await request(service, { method: 'GET', path: '/livez' })).status, 200);
    const refused = await request(service, { body: '{"id":8,"name":"moss"}' });
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1']);
    await proxy.comeBack();
    await untilReady(service, 200);
    // The service stores its first token now.
    while ((await request(service, { body: '{"id":8,"name":"moss"}' })).status !== 200);
    assert.equal(service.token, canaryToken);
  });

  it(
    'goes on after a newer version has migrated, also when the database was away, but does not start',
    { timeout: 120_000 },
    async (t) => {
      const own = await createMigratedDatabase(await findServer(18));
      t.after(() => own.remove());
      const proxy = await startProxy(t, own.url);
      const env = { DATABASE_URL: proxy.url };
      const service = await startService(t, { flags: ['--migrate'], env });
      const readiness = async (): Promise<number> =>
        (await request(service, { method: 'GET', path: '/readyz' })).status;
      const connection = await own.connect();
      await connection.run('UPDATE plant_store_schema SET number = number + 1', [], 60_000);
      await connection.close();
      proxy.goAway();
      // Until then, the database is only slow.
      while (!service.logLines.some(({ msg }) => msg.startsWith('Cannot use the database: '))) await readiness();
      await proxy.comeBack();
      await untilReady(service, 200);
      assert.equal((await request(service, { body: '{"id":1,"name":"fern"}' })).status, 200);
      for (const flags of [[], ['--migrate']])
        assert.match(await refusalOf(t, { flags, env }), /is newer than this program/);
      assert.match(
        (await runCli(['migrate'], env)).stderr,
        /is newer than this program, which knows \d+; install a newer/,
      );
    },
  );

  it('looks for a first token no more once there is one', { timeout: 120_000 }, async (t) => {
    const own = await createMigratedDatabase(await findServer(18));
    t.after(() => own.remove());
    const first = await startService(t, { env: { DATABASE_URL: own.url } });
    await first.stop();
    const proxy = await startProxy(t, own.url);
    proxy.goAway();
    const service = await startService(t, { env: { DATABASE_URL: proxy.url } });
    await proxy.comeBack();
    await untilReady(service, 200);
    // While there is none, it looks every second.
    await setTimeout(4_000);
    const connection = await own.connect();
    const looks = `SELECT FROM pg_stat_activity WHERE datname = current_database()
      AND query LIKE '%FROM tokens ORDER BY%' AND query_start > clock_timestamp() - interval '2 s' AND pid <> pg_backend_pid()`;
    // The last look may be late on a busy machine.
    await until(async () => (await connection.run(looks, [], 60_000)).rows.length === 0, 'it does not look any more');
    await connection.close();
  });

  it(
    'logs that the database refuses connections, and stores plants with those it has',
    { timeout: 120_000 },
    async (t) => {
      const server = await findServer(18);
      const own = await createMigratedDatabase(server);
      // The probe, a connection that writes, and one that reads.
      const role = await createWriter(t, server, own, 'CONNECTION LIMIT 3');
      const service = await startService(t, { env: { DATABASE_URL: urlAs(role, own) } });
      const statuses = await Promise.all(
        Array.from(
          { length: 200 },
          async (_, id) => (await request(service, { body: `{"id":${id},"name":"fern"}` })).status,
        ),
      );
      assert.deepEqual(
        statuses.filter((status) => status !== 200 && status !== 503),
        [],
      );
      assert.ok(statuses.includes(200));
      // The pool that wrote gives its connections to those that read. On a busy machine, that may be refused at first.
      for (const path of ['/plants?limit=1', '/plants/changes', '/readyz'])
        while ((await request(service, { method: 'GET', path })).status !== 200);
      const refused = service.logLines.filter(({ msg }) => msg === 'The database refuses a connection');
      assert.deepEqual(
        refused.map(({ reason }) => reason),
        [`too many connections for role "${role}"`],
        service.output(),
      );
    },
  );
});

describe('the service and locked tables of PostgreSQL', () => {
  it('starts, and can be stopped, while its tables are locked', async (t) => {
    const own = await createMigratedDatabase(await findServer(18));
    t.after(() => own.remove());
    const connection = await own.connect();
    await connection.run('BEGIN; LOCK TABLE plant_store_schema', [], 60_000);
    const service = await startService(t, { env: { DATABASE_URL: own.url } });
    assert.equal((await request(service, { method: 'GET', path: '/readyz' })).number, 50305);
    await service.stop();
    await connection.close();
  });

  it('says that it waits while somebody else has locked a table, and is not ready', async (t) => {
    const own = await createMigratedDatabase(await findServer(18));
    t.after(() => own.remove());
    const service = await startService(t, { env: { DATABASE_URL: own.url } });
    await untilReady(service, 200);
    for (const table of ['plants', 'tokens', 'change_batches'])
      await withConnection(own, async (connection) => {
        await connection.run(`SET application_name = 'psql'`, [], 60_000);
        await connection.run('BEGIN', [], 60_000);
        await connection.run(`LOCK TABLE ${table} IN SHARE MODE`, [], 60_000);
        await untilReady(service, 503);
        if (table !== 'plants') return;
        const refused = await request(service, { body: '{"id":1,"name":"fern"}' });
        assert.match(refused.text, /waits for a lock that another session holds/);
      });
    const waits = service.logLines.filter(({ msg }) => msg === 'Requests wait for a lock in the database');
    assert.equal(waits.length, 1, service.output());
    assert.match(String(waits[0]?.['by']), /session \d+ of postgres$/);
    await untilReady(service, 200);
  });

  it(
    'stays ready while a table is locked for a moment only, as by a vacuum that shortens it',
    { timeout: 120_000 },
    async (t) => {
      const own = await createMigratedDatabase(await findServer(18));
      t.after(() => own.remove());
      const service = await startService(t, { env: { DATABASE_URL: own.url } });
      await untilReady(service, 200);
      const askDuringLock = (): Promise<number> =>
        withConnection(own, async (connection) => {
          const run = (sql: string): Promise<Rows> => connection.run(sql, [], 60_000);
          await run('BEGIN');
          await run('LOCK TABLE change_batches IN ACCESS EXCLUSIVE MODE');
          const end = { isOver: false };
          const asked = request(service, { method: 'GET', path: '/readyz' }).finally(() => (end.isOver = true));
          const waiting = `SELECT FROM pg_locks WHERE relation = 'change_batches'::regclass AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
          while (!end.isOver && (await run(waiting)).rows.length === 0);
          await run('COMMIT');
          return (await asked).status;
        });
      // On a busy machine, the lock may last longer than that.
      const statuses = [await askDuringLock()];
      while (statuses.length < 5 && !statuses.includes(200)) statuses.push(await askDuringLock());
      assert.ok(statuses.includes(200), `${statuses.join()}\n${service.output()}`);
    },
  );
});

describe('the service and settings and tables that others make in PostgreSQL', () => {
  it('is not ready where transactions are read-only, and overrides settings that would change or cut what it does', async (t) => {
    const server = await findServer(18);
    const own = await createDatabase(server);
    t.after(() => own.remove());
    const set = (setting: string): Promise<void> => runAsAdmin(server, `ALTER DATABASE ${own.name} SET ${setting}`);
    for (const setting of [
      'array_nulls = off',
      'row_security = on',
      'gin_fuzzy_search_limit = 1',
      'exit_on_error = on',
    ])
      await set(setting);
    await set(`transaction_timeout = '1s'`);
    await set(`idle_session_timeout = '1s'`);
    const connection = await own.connect();
    const limits = `SELECT current_setting('transaction_timeout'), current_setting('idle_session_timeout')`;
    assert.deepEqual((await connection.run(limits, [], 60_000)).rows, [['0', '0']]);
    await connection.close();
    const env = { DATABASE_URL: own.url };
    const service = await startService(t, { flags: ['--migrate'], env });
    assert.equal((await request(service, { body: '{"id":1,"name":"fern"}' })).status, 200);
    assert.equal((await request(service, { method: 'GET', path: '/plants/1' })).text, '{"id":1,"name":"fern"}');
    const history = await request(service, { method: 'GET', path: '/plants/1/history' });
    assert.match(history.text, /"kind":"created"/);
    assert.equal((await runCli(['check'], env)).code, 0);
    await set('default_transaction_read_only = on');
    const other = await startService(t, { env });
    assert.equal((await request(other, { method: 'GET', path: '/readyz' })).number, 50305);
    assert.ok(
      other.logLines.some(({ msg }) => /^Cannot use the database: .* default_transaction_read_only is on/.test(msg)),
    );
    await runAsAdmin(server, `ALTER DATABASE ${own.name} RESET default_transaction_read_only`);
    await untilReady(other, 200);
  });

  it('is refused where rows would be hidden or lost, and answers 503 when that begins while it runs', async (t) => {
    const server = await findServer(18);
    for (const [about, sql, refusal] of hostile) {
      const own = await createMigratedDatabase(server);
      const role = await createWriter(t, server, own);
      const env = { DATABASE_URL: urlAs(role, own) };
      const running = await startService(t, { env });
      await withConnection(own, (connection) => connection.run(sql(role), [], 60_000));
      assert.match(await refusalOf(t, { env }), refusal, about);
      if (about.includes('crash')) continue;
      const created = await request(running, { body: '{"id":1,"name":"fern","tag":"wet"}' });
      assert.equal(created.number, 50305, `${about}: ${created.text}`);
      assert.ok(
        running.logLines.some(({ msg }) => msg === 'The database refuses a statement'),
        about,
      );
    }
  });

  it('uses its own tables where a schema that is searched first has others', async (t) => {
    const server = await findServer(18);
    const own = await createMigratedDatabase(server);
    const role = await createWriter(t, server, own);
    await withConnection(own, async (connection) => {
      await connection.run(`CREATE SCHEMA AUTHORIZATION ${role}`, [], 60_000);
      await connection.run(`CREATE TABLE ${role}.plants (id int); CREATE TABLE ${role}.tokens (id int)`, [], 60_000);
    });
    const env = { DATABASE_URL: urlAs(role, own) };
    const service = await startService(t, { env });
    assert.equal((await request(service, { body: '{"id":1,"name":"fern"}' })).status, 200);
    assert.equal((await request(service, { method: 'GET', path: '/plants' })).text, '[{"id":1,"name":"fern"}]');
    assert.equal((await runCli(['migrate'], env)).stdout, `The schema was up to date (${firstSchema})\n`);
  });
});
