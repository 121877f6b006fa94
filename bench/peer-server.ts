/**
 * What the service is compared with: the same three operations as a developer would write them with
 * Fastify and better-sqlite3, as a program: `peer-server.ts FILE ROWS` stores plants from index 0 first. A
 * plant is on disk before the request is answered. Ids are rounded as JSON.parse does.
 */
import { timingSafeEqual } from 'node:crypto';
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import { plantAt } from './plants.ts';
import { token } from './service.ts';

const [file = '', rows = '0'] = process.argv.slice(2);
/** The most rows of a page. */
const limitMax = 1_000;

const database = new Database(file);
database.defaultSafeIntegers();
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT);
`);
const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
const findOne = database.prepare('SELECT id, name, tag FROM plants WHERE id = ?');
const listAfter = database.prepare<[bigint, number], { id: bigint }>(
  'SELECT id, name, tag FROM plants WHERE id > ? ORDER BY id LIMIT ?',
);

database.exec('BEGIN');
for (let index = 0; index < Number(rows); index += 1) {
  const { id, name, tag } = plantAt(index);
  insert.run(id, name, tag);
}
database.exec('COMMIT');

const id = { type: 'integer' } as const;
const cursor = { type: 'string', pattern: '^-?[0-9]{1,19}$' } as const;
const name = { type: 'string', minLength: 1, maxLength: 1_000 } as const;
const tag = { type: 'string', maxLength: 1_000 } as const;
const plant = { type: 'object', properties: { id, name, tag }, required: ['id', 'name'] } as const;
const created = { type: 'object', properties: { name, tag }, required: ['name'] } as const;
const failure = { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] } as const;

interface Body {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

const expected = Buffer.from(`Bearer ${token}`);
const app = Fastify();

app.addHook('onRequest', async (request, reply) => {
  const given = Buffer.from(request.headers.authorization ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    await reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'Unauthorized' });
});

app.post<{ Body: Body }>(
  '/plants',
  { schema: { body: plant, response: { 200: created, 409: failure } } },
  (request, reply) => {
    const { body } = request;
    const { changes } = insert.run(body.id, body.name, body.tag ?? null);
    if (changes === 0) void reply.code(409).send({ error: 'The id is in use' });
    else void reply.send(body);
  },
);

app.get<{ Params: { id: string } }>(
  '/plants/:id',
  {
    schema: {
      params: { type: 'object', properties: { id: cursor }, required: ['id'] },
      response: { 200: plant, 404: failure },
    },
  },
  (request, reply) => {
    const found = findOne.get(BigInt(request.params.id));
    if (found === undefined) void reply.code(404).send({ error: 'There is no such plant' });
    else void reply.send(found);
  },
);

app.get<{ Querystring: { limit: number; cursor?: string } }>(
  '/plants',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { limit: { type: 'integer', minimum: 1, maximum: limitMax, default: 20 }, cursor },
      },
      response: { 200: { type: 'array', items: plant } },
    },
  },
  (request, reply) => {
    const { limit, cursor: after } = request.query;
    const found = listAfter.all(after === undefined ? -(2n ** 63n) : BigInt(after), limit + 1);
    const last = found.length > limit ? found[limit - 1] : undefined;
    if (last !== undefined) reply.header('link', `</plants?limit=${limit}&cursor=${String(last.id)}>; rel="next"`);
    void reply.send(found.slice(0, limit));
  },
);

process.once('SIGTERM', () => void app.close());
console.log(`listening on ${new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port}`);
