/** Messages about a database that give advice: each is provoked, and what it says is done. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { runCli } from '../../cli/run-cli.ts';
import { makeFolder } from '../../support/clean-up.ts';
import { startService } from '../../support/start-service.ts';
import {
  createDatabase,
  createMigratedDatabase,
  runAsAdmin,
  type TemporaryDatabase,
  withConnection,
} from './open-temporary-database.ts';
import { findServer } from './servers.ts';

const root = await makeFolder({ after });
const password = 'change-me';

/** A database, and what its owner and a user without rights can do. */
interface Place {
  readonly t: TestContext;
  readonly server: string;
  readonly own: TemporaryDatabase;
  /** A user who may log in. */
  readonly role: string;
  /** The URL of the database for this user. */
  readonly url: string;
  readonly sql: (text: string) => Promise<void>;
}

/** A command, or a start of the service with these variables. */
type Attempt =
  | { readonly args: readonly string[] }
  | { readonly env: Readonly<Record<string, string>>; readonly flags?: readonly string[] };

interface Case {
  /** Whether the database has no tables at first. */
  readonly isEmpty?: boolean;
  /** Makes the trouble. */
  readonly begin?: (place: Place) => Promise<void>;
  /** What fails: a start of the service, or a command. */
  readonly fails: (place: Place) => Attempt;
  readonly message: RegExp;
  /** Does what the message says. Resolves to what now succeeds, if that is not what failed. */
  readonly follow: (place: Place, match: readonly string[]) => Promise<Attempt | undefined>;
}

const asUser = ({ url }: Place): Attempt => ({ env: { DATABASE_URL: url } });
const asOwner = ({ own }: Place): Attempt => ({ env: { DATABASE_URL: own.url } });

const cases: Readonly<Record<string, Case>> = {
  'a database has no tables': {
    isEmpty: true,
    fails: asOwner,
    message: /it has no tables yet; run "plant-store (migrate)"/,
    follow: async ({ own }, [, command = '']) => {
      await run([command, '--database-url', own.url]);
      return undefined;
    },
  },
  'tables are created by a user who may not': {
    isEmpty: true,
    fails: ({ url }) => ({ args: ['migrate', '--database-url', url] }),
    message: /; run it as a user with the right (CREATE) on the schema$/m,
    follow: async ({ role, sql }, [, right = '']) => {
      await sql('CREATE EXTENSION pg_trgm');
      await sql(`GRANT ${right} ON SCHEMA public TO ${role}`);
      return undefined;
    },
  },
  'the extension is in a schema that the user may not use': {
    isEmpty: true,
    begin: async ({ role, sql }) => {
      await sql('CREATE SCHEMA modules; CREATE EXTENSION pg_trgm SCHEMA modules');
      await sql(`GRANT CREATE ON SCHEMA public TO ${role}`);
    },
    fails: ({ url }) => ({ args: ['migrate', '--database-url', url] }),
    message:
      /: its user may not use the extension pg_trgm; run "(GRANT USAGE ON SCHEMA modules TO \w+)" as a superuser/,
    follow: ({ sql }, [, statement = '']) => sql(statement).then(nothing),
  },
  ...Object.fromEntries(
    [[], ['--migrate']].map((flags): [string, Case] => [
      `the tables are in a schema that the user does not look into: serve ${flags.join(' ')}`,
      {
        begin: ({ sql }) => sql('ALTER SCHEMA public RENAME TO garden; CREATE SCHEMA public'),
        fails: ({ url }) => ({ env: { DATABASE_URL: url }, flags }),
        message: /it has tables in the schema garden, which is .*; run "(ALTER [^"]*)", and "(GRANT [^"]*)" if/,
        follow: async ({ sql }, [, alter = '', grant = '']) => {
          await sql(alter);
          await sql(grant);
          return undefined;
        },
      },
    ]),
  ),
  'a database is of another engine': {
    fails: ({ own }) => ({ args: ['migrate', '--engine', 'citus', '--database-url', own.url] }),
    message: /it was made for the engine postgres; use a new database, and "plant-store (copy)"$/m,
    follow: async ({ t, server, own }, [, command = '']) => {
      const other = await createDatabase(server);
      t.after(() => other.remove());
      await run(['migrate', '--engine', 'citus', '--database-url', other.url]);
      return { args: [command, '--from', own.url, '--to', other.url] };
    },
  },
  'a right is missing': {
    begin: ({ role, sql }) => sql(`REVOKE INSERT ON change_batches FROM ${role}`),
    fails: asUser,
    message: /lacks (INSERT) on the table (change_batches); see deploy\/postgres\/roles\.sql/,
    follow: ({ role, sql }, [, right = '', table = '']) => sql(`GRANT ${right} ON ${table} TO ${role}`).then(nothing),
  },
  'rows are hidden, and the table is set right': {
    begin: ({ sql }) => sql('ALTER TABLE plants ENABLE ROW LEVEL SECURITY'),
    fails: asUser,
    message: /hides rows of the table (plants) from the user user_\w+; turn it off for this table/,
    follow: ({ sql }, [, table = '']) => sql(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`).then(nothing),
  },
  'rows are hidden, and the user is set right': {
    begin: ({ sql }) => sql('ALTER TABLE tokens ENABLE ROW LEVEL SECURITY'),
    fails: asUser,
    message: /from the user (user_\w+); turn it off for this table, or give the user (BYPASSRLS)/,
    follow: ({ sql }, [, user = '', right = '']) => sql(`ALTER ROLE ${user} ${right}`).then(nothing),
  },
  'a table is not logged': {
    begin: ({ sql }) => sql('ALTER TABLE plants SET UNLOGGED'),
    fails: asUser,
    message: /a crash would empty it; run (ALTER TABLE plants SET LOGGED)/,
    follow: ({ sql }, [, statement = '']) => sql(statement).then(nothing),
  },
  'a database does not exist': {
    fails: ({ own }) => ({ args: ['migrate', '--database-url', `${own.url}x`] }),
    message: /; create it, or name another one in the URL$/m,
    follow: async ({ own }) => ({ args: ['migrate', '--database-url', own.url] }),
  },
  'the password is wrong': {
    fails: (place) => ({ env: { DATABASE_URL: place.url.replace(password, 'wrong') } }),
    message: /; give the password of this user/,
    follow: async (place) => asUser(place),
  },
  'the password is missing': {
    fails: ({ url }) => ({ env: { DATABASE_URL: url.replace(`:${password}`, '') } }),
    message: /name a file with it in (DATABASE_PASSWORD_FILE)/,
    follow: async ({ url, role }, [, variable = '']) => {
      const file = join(root, role);
      await writeFile(file, `${password}\n`, { mode: 0o600 });
      return { env: { DATABASE_URL: url.replace(`:${password}`, ''), [variable]: file } };
    },
  },
  'a user may not connect': {
    begin: ({ own, sql }) => sql(`REVOKE CONNECT ON DATABASE ${own.name} FROM PUBLIC`),
    fails: asUser,
    message: /; (GRANT CONNECT) to this user/,
    follow: ({ own, role, sql }, [, grant = '']) => sql(`${grant} ON DATABASE ${own.name} TO ${role}`).then(nothing),
  },
  'the server has no TLS': {
    fails: ({ url }) => ({ env: { DATABASE_URL: `${url}?sslmode=require` } }),
    message: /turn it on there, or use (sslmode=disable) in the URL/,
    follow: async ({ url }, [, parameter = '']) => ({ env: { DATABASE_URL: `${url}?${parameter}` } }),
  },
  'a parameter of the URL is unknown': {
    fails: ({ url }) => ({ env: { DATABASE_URL: `${url}?ssl=off` } }),
    message: /the parameter ssl is unknown; use (\w+),/,
    follow: async ({ url }, [, parameter = '']) => ({ env: { DATABASE_URL: `${url}?${parameter}=disable` } }),
  },
};

/** What failed succeeds now. */
const nothing = (): undefined => undefined;

/** Requires that it succeeds. */
async function run(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, {}, root);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Resolves to why it fails; to undefined if it does not. */
async function attempt(t: TestContext, what: Attempt): Promise<string | undefined> {
  if ('args' in what) {
    const { code, stderr } = await runCli(what.args, {}, root);
    return code === 0 ? undefined : stderr;
  }
  try {
    await (await startService(t, what)).stop();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

describe('advice about a database', () => {
  for (const [about, { isEmpty = false, begin, fails, message, follow }] of Object.entries(cases))
    it(`helps if ${about}`, { timeout: 120_000 }, async (t) => {
      const server = await findServer(18);
      const own = isEmpty ? await createDatabase(server) : await createMigratedDatabase(server);
      const role = `user_${own.name}`;
      t.after(async () => {
        await own.remove();
        await runAsAdmin(server, `DROP ROLE ${role}`);
      });
      await runAsAdmin(server, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
      const sql = (text: string): Promise<void> =>
        withConnection(own, async (connection) => {
          await connection.run(text, [], 60_000);
        });
      await sql(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
      await sql(`GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
      const url = own.url.replace(/\/\/[^@]*@/, `//${role}:${password}@`);
      const place: Place = { t, server, own, role, url, sql };
      await begin?.(place);
      const failing = fails(place);
      const said = (await attempt(t, failing)) ?? assert.fail('it does not fail');
      const match = message.exec(said) ?? assert.fail(said);
      const better = (await follow(place, match)) ?? failing;
      assert.equal(await attempt(t, better), undefined);
    });
});
