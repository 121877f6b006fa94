/** `plant-store mcp` by the protocol's own client, against the real service: tools, exact ids, errors. */
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Output } from '../../src/cli/command-context.ts';
import { PlantClient } from '../../src/client/client.ts';
import { serveTools } from '../../src/mcp/serve-tools.ts';
import { tools } from '../../src/mcp/tools.ts';
import { deadUrl, mainPath, runCli, runHere, spawnCli, type Surroundings } from '../cli/run-cli.ts';
import { startScript } from '../client/scripted-server.ts';
import { startService } from '../support/start-service.ts';
import { connect, startMcp } from './start-mcp.ts';

const service = await startService({ after });
const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
const store = new PlantClient({ url: service.url, token: service.token });

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The structured result of a call, which its text repeats. */
async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { content, structuredContent, isError } = (await client.callTool({ name, arguments: args })) as Result;
  assert.notEqual(isError, true, JSON.stringify(content));
  assert.equal(content.length, 1);
  assert.deepEqual(JSON.parse(content[0]?.text ?? ''), structuredContent);
  return structuredContent;
}

/** Number and message of a call that fails. */
async function fail(client: Client, name: string, args: Record<string, unknown> = {}): Promise<[unknown, string]> {
  const { content, structuredContent, isError } = (await client.callTool({ name, arguments: args })) as Result;
  assert.equal(isError, true, JSON.stringify(content));
  const { error, message } = structuredContent as { readonly error?: number; readonly message: string };
  assert.equal(content[0]?.text, message);
  return [error, message];
}

for (const version of ['initialize', '2026-07-28'] as const) {
  it(`plant-store mcp --write keeps ids of 19 digits exact in both directions (${version})`, async (t) => {
    const client = await connect(startMcp(['--write'], env, t), version);
    assert.equal(client.getServerVersion()?.name, 'plant-store');
    for (const id of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
      const plant = { id, name: `Fern ${id}` };
      assert.deepEqual(await call(client, 'create_plant', plant), { ...plant, created: true });
      assert.equal((await store.get(BigInt(id)))?.plant.name, plant.name);
      const { etag, ...found } = (await call(client, 'get_plant', { id })) as { readonly etag: string };
      assert.deepEqual(found, plant);
      const changed = { ...plant, tag: 'wet' };
      const updated = (await call(client, 'update_plant', { id, tag: 'wet', if_match: etag })) as object;
      assert.deepEqual({ ...updated, etag: '' }, { ...changed, etag: '' });
      assert.deepEqual(await call(client, 'search_plants', { name: id, tag: 'wet' }), { plants: [changed] });
      assert.deepEqual(await call(client, 'delete_plant', { id }), { deleted: id });
      const { changes } = (await call(client, 'list_changes', { id, limit: 2 })) as {
        readonly changes: readonly Record<string, unknown>[];
      };
      assert.deepEqual(
        changes.map(({ kind, plant, before, id: of }) => ({ kind, plant, before, id: of })),
        [
          { kind: 'deleted', plant: undefined, before: changed, id },
          { kind: 'replaced', plant: changed, before: plant, id },
        ],
      );
    }
    await client.close();
  });
}

describe('plant-store mcp', () => {
  it('lists its tools in at most 8 KB, and offers those that write with --write only', async (t) => {
    const reader = await connect(startMcp([], env, t), 'initialize');
    const writer = await connect(startMcp(['--write'], env, t), '2026-07-28');
    const listed = await writer.listTools();
    assert.ok(Buffer.byteLength(JSON.stringify(listed)) <= 8_192, `${Buffer.byteLength(JSON.stringify(listed))} bytes`);
    const hints = listed.tools.map(({ name, annotations: { readOnlyHint, destructiveHint, idempotentHint } = {} }) =>
      [name, readOnlyHint, destructiveHint, idempotentHint].join(' ').trim(),
    );
    const reading = ['search_plants true', 'get_plant true', 'list_tags true', 'list_changes true'];
    const writing = ['create_plant false false true', 'update_plant false true true', 'delete_plant false true true'];
    writing.push('batch_plants false true true');
    assert.deepEqual(hints, [...reading, ...writing]);
    assert.deepEqual(
      (await reader.listTools()).tools.map(({ name, annotations }) => `${name} ${annotations?.readOnlyHint}`),
      reading,
    );
    await assert.rejects(reader.callTool({ name: 'delete_plant', arguments: { id: '7' } }), /--write/);
  });

  it('refuses what it cannot use, and says how to write it', async (t) => {
    const client = await connect(startMcp(['--write'], env, t), 'initialize');
    const bad = {
      number: [
        'get_plant',
        { id: 7 },
        'Cannot use "id": it must be a string of digits, such as "9007199254740993": a JSON number can lose digits',
      ],
      zero: ['get_plant', { id: '07' }, 'Cannot use "id": it must be written without leading zeros'],
      range: [
        'delete_plant',
        { id: '9223372036854775808' },
        'Cannot use "id": it must be from -9223372036854775808 to 9223372036854775807',
      ],
      missing: ['create_plant', { id: '7' }, 'Argument "name" is missing'],
      // Some applications send null for what the model left out.
      null: ['update_plant', { id: '7', name: 'a', tag: null }, 'Cannot use "tag": it must be a string'],
      boolean: ['update_plant', { id: '7', remove_tag: 'yes' }, 'Cannot use "remove_tag": it must be true or false'],
      removed: ['update_plant', { id: '7', tag: 'a', remove_tag: true }, 'Give either tag or remove_tag, not both'],
      type: ['create_plant', { id: '7', name: 7 }, 'Cannot use "name": it must be a string'],
      unknown: [
        'list_tags',
        { tag: 'a' },
        'Cannot use "tag": there is no such argument; this tool takes prefix, limit, next',
      ],
      limit: ['list_tags', { limit: 101 }, 'Cannot use "limit": it must be an integer from 1 to 100'],
      choice: ['list_changes', { order: 'up' }, 'Cannot use "order": it must be one of desc, asc'],
      etag: [
        'update_plant',
        { id: '7', name: 'a', if_match: 'abc' },
        'Cannot use "if_match": it must be an etag with its double quotes, as get_plant returned it',
      ],
      empty: ['update_plant', { id: '7' }, 'Give at least one of name, tag and remove_tag'],
      next: [
        'search_plants',
        { next: 'http://127.0.0.1:2/plants?cursor=a' },
        'Cannot use "next": pass it as an earlier result of this tool gave it',
      ],
      ids: [
        'batch_plants',
        { action: 'delete', ids: [7] },
        'Cannot use "ids": it must be a string of digits, such as "9007199254740993": a JSON number can lose digits',
      ],
      none: ['batch_plants', { action: 'delete' }, 'Give either ids, or at least one of with_tag and with_search'],
      either: [
        'batch_plants',
        { action: 'delete', ids: ['7'], with_tag: '' },
        'Give either ids, or at least one of with_tag and with_search',
      ],
      both: [
        'search_plants',
        { next: 'a', tag: '' },
        'Cannot use "next" with other arguments: it stands for all of them',
      ],
    } as const;
    for (const [about, [name, args, message]] of Object.entries(bad))
      assert.deepEqual(await fail(client, name, args), [undefined, message], about);
  });

  it('returns errors of the service with their numbers', async (t) => {
    const client = await connect(startMcp(['--write'], env, t), 'initialize');
    await store.put(40n, { name: 'Aloe' });
    assert.deepEqual(await fail(client, 'get_plant', { id: '41' }), [40402, 'No plant has this id (error 40402)']);
    assert.deepEqual(await fail(client, 'delete_plant', { id: '41' }), [40402, 'No plant has this id (error 40402)']);
    const taken = await fail(client, 'create_plant', { id: '40', name: 'Fern' });
    assert.equal(taken[0], 40901);
    assert.match(taken[1], /exists.* \(error 40901\)$/);
    assert.equal((await fail(client, 'update_plant', { id: '40', name: 'a', if_match: '"a"' }))[0], 41201);
    assert.equal((await fail(client, 'create_plant', { id: '42', name: 'a'.repeat(1_001) }))[0], 40010);
    const stranger = await connect(startMcp([], { ...env, PLANT_STORE_TOKEN: 'none' }, t), 'initialize');
    const [number, message] = await fail(stranger, 'list_tags');
    assert.equal(number, 40102);
    assert.match(message, /the variable PLANT_STORE_TOKEN/);
    const lost = await connect(startMcp([], { ...env, PLANT_STORE_URL: deadUrl }, t), 'initialize');
    assert.match(
      (await fail(lost, 'list_tags'))[1],
      /^Cannot reach the service: .*"plant-store serve" or "plant-store demo" starts one/,
    );
  });

  it('changes many plants, by ids or a filter, and undoes it', async (t) => {
    const client = await connect(startMcp(['--write'], env, t), 'initialize');
    const ids = ['9007199254740993', '9007199254740994'];
    for (const id of ids) await store.put(BigInt(id), { name: 'Batch', tag: 'old' });
    const batch = async (args: Record<string, unknown>): Promise<[unknown, unknown]> => {
      const { changed, group } = (await call(client, 'batch_plants', args)) as Record<string, unknown>;
      return [changed, group];
    };
    const tagsOf = (): Promise<unknown[]> =>
      Promise.all(ids.map(async (id) => (await store.get(BigInt(id)))?.plant.tag));
    const [changed, group] = await batch({ action: 'setTag', ids, tag: 'new' });
    assert.deepEqual([changed, await tagsOf()], [2, ['new', 'new']]);
    assert.equal((await batch({ action: 'undo', undoes: group }))[0], 2);
    assert.deepEqual(await tagsOf(), ['old', 'old']);
    assert.equal((await batch({ action: 'delete', with_tag: 'old', with_search: 'other' }))[0], 0);
    assert.equal((await batch({ action: 'delete', with_tag: 'old', with_search: 'atc' }))[0], 2);
    assert.deepEqual(await call(client, 'search_plants', { tag: 'old' }), { plants: [] });
    const { errors } = (await call(client, 'batch_plants', { action: 'restore', ids: ['9007199254740995'] })) as {
      readonly errors: readonly { readonly id: string }[];
    };
    assert.equal(errors[0]?.id, '9007199254740995');
    assert.equal((await fail(client, 'batch_plants', { action: 'setTag', ids }))[0], 40020);
  });

  it('pages through plants, tags and changes', async (t) => {
    const client = await connect(startMcp(['--write'], env, t), 'initialize');
    for (const id of [51n, 52n, 53n]) await store.put(id, { name: 'Page', tag: `page-${id}` });
    const readAll = async (name: string, list: string, args: Record<string, unknown>): Promise<unknown[]> => {
      const items: unknown[] = [];
      for (let next: Record<string, unknown> | undefined = { ...args, limit: 2 }; next !== undefined;) {
        const result = (await call(client, name, next)) as Record<string, unknown[]> & { readonly next?: string };
        items.push(...(result[list] ?? []));
        next = result.next === undefined ? undefined : { next: result.next };
      }
      return items;
    };
    const ids = ['51', '52', '53'];
    assert.deepEqual(
      await readAll('search_plants', 'plants', { name: 'page', search: 'age-' }),
      ids.map((id) => ({ id, name: 'Page', tag: `page-${id}` })),
    );
    assert.deepEqual(
      await readAll('list_tags', 'tags', { prefix: 'page-' }),
      ids.map((id) => ({ tag: `page-${id}`, plants: 1 })),
    );
    const newest = { kind: 'created', limit: 1 };
    interface Page {
      readonly changes: readonly { readonly id: string }[];
      readonly position: string;
    }
    const first = (await call(client, 'list_changes', newest)) as Page;
    const second = (await call(client, 'list_changes', { ...newest, after: first.position })) as Page;
    assert.deepEqual(
      [...first.changes, ...second.changes].map(({ id }) => id),
      ['53', '52'],
    );
    const later = (await call(client, 'list_changes', { order: 'asc', after: second.position })) as Page;
    assert.deepEqual(
      later.changes.map(({ id }) => id),
      ['53'],
    );
    // "" is a tag; remove_tag removes it, and an equal create changes nothing.
    assert.equal(((await call(client, 'update_plant', { id: '53', tag: '' })) as { tag: string }).tag, '');
    assert.equal('tag' in ((await call(client, 'update_plant', { id: '53', remove_tag: true })) as object), false);
    assert.deepEqual(await call(client, 'create_plant', { id: '53', name: 'Page' }), {
      id: '53',
      name: 'Page',
      created: false,
    });
  });

  it('needs an address and a token before it begins', async () => {
    const { code, stdout, stderr } = await runCli(['mcp', '--url', 'https://plants.example'], {});
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^plant-store: Cannot find a token/);
  });
});

describe('serveTools()', () => {
  const toCall = (id: number, name: string): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { id: '7' } } })}\n`;

  it('skips what is no message, and ends at one that is too long', async (t) => {
    const mcp = startMcp([], env, t);
    mcp.send('hello\n"\n');
    mcp.send(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    mcp.send('{"jsonrpc":"2.0","id":9,"method":"ping"}\n');
    assert.deepEqual(JSON.parse((await mcp.next()) ?? ''), { jsonrpc: '2.0', id: 9, result: {} });
    mcp.send(`"${'a'.repeat(1_048_576)}"\n`);
    mcp.close();
    assert.equal(await mcp.next(), undefined);
    const { code, stderr } = await mcp.ended;
    assert.equal(code, 0);
    assert.match(stderr, /exceeded maximum size of 1048576 bytes/);
  });

  it('runs 64 calls at once and refuses one more; SIGTERM aborts them', async (t) => {
    const silent = await startScript(
      t,
      Array.from({ length: 64 }, () => 'silent' as const),
    );
    const mcp = startMcp([], { ...env, PLANT_STORE_URL: silent.url }, t);
    for (let id = 1; id <= 65; id++) mcp.send(toCall(id, 'get_plant'));
    const { id, result } = JSON.parse((await mcp.next()) ?? '') as { readonly id: number; readonly result: Result };
    assert.deepEqual([id, result.isError], [65, true]);
    assert.match(JSON.stringify(result), /Only 64 calls/);
    mcp.signal('SIGTERM');
    assert.deepEqual(await mcp.ended, { code: 0, stderr: '' });
    assert.equal(await mcp.next(), undefined);
  });

  it('ends a call that takes too long, and says of a write that it may be executed', async (t) => {
    const silent = await startScript(t, ['silent', 'silent']);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveTools(input, output, {
      tools,
      client: new PlantClient({ url: silent.url, token: 'a' }),
      version: '1.0.0',
      explain: (error) => error,
      onProblem: assert.ifError,
      signal: new AbortController().signal,
      callMs: 1,
    });
    const lines = createInterface({ input: output })[Symbol.asyncIterator]();
    for (const [name, message] of [
      ['get_plant', /did not answer in time. Try again later/],
      ['delete_plant', /did not answer in time. It may still be executed/],
    ] as const) {
      input.write(toCall(1, name));
      assert.match(String((await lines.next()).value), message);
    }
    input.end();
    await served;
  });

  it('makes a page shorter while its plants are longer than a model should read at once', async (t) => {
    const client = await connect(startMcp(['--write'], env, t), 'initialize');
    const ids = Array.from({ length: 60 }, (_, at) => String(9_000 + at));
    for (const id of ids) await store.put(BigInt(id), { name: `Long ${'x'.repeat(990)}`, tag: 'long' });
    const found: string[] = [];
    let next: Record<string, unknown> | undefined = { tag: 'long', limit: 60 };
    while (next !== undefined) {
      const page = (await call(client, 'search_plants', next)) as { plants: { id: string }[]; next?: string };
      assert.ok(JSON.stringify(page).length < 60_000, `${JSON.stringify(page).length} characters`);
      found.push(...page.plants.map(({ id }) => id));
      next = page.next === undefined ? undefined : { next: page.next };
    }
    assert.deepEqual(found, ids);
  });

  /** Starts the command with a request that is answered, and calls `writeAll` with the answer. */
  function runUnread(writeAll: Output['writeAll'], surroundings: Partial<Surroundings>): Promise<number> {
    const stdin = new PassThrough();
    stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    const output = { isTTY: false, columns: undefined, write: () => undefined, writeAll };
    return runHere(['mcp'], { stdin, stdout: output, stderr: output, env, ...surroundings });
  }

  it('ends at SIGTERM also if the client reads nothing', async () => {
    const [written, ended] = [Promise.withResolvers<undefined>(), Promise.withResolvers<number>()];
    let stop = (): void => assert.fail('It does not listen');
    const writeAll = (): Promise<boolean> => {
      written.resolve(undefined);
      return new Promise(() => undefined);
    };
    void runUnread(writeAll, {
      onStopSignal: (listener) => (stop = () => listener('SIGTERM')),
      exitNow: ended.resolve,
    });
    await written.promise;
    stop();
    assert.equal(await ended.promise, 0);
  });

  it('ends when nobody can read its replies any more', async () => {
    assert.equal(await runUnread(() => Promise.resolve(false), {}), 0);
  });
});

describe('the process of plant-store mcp', () => {
  it('is started by a client, writes nothing but the protocol, and ends with standard input', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [mainPath, 'mcp'],
      env,
      stderr: 'pipe',
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    const problems: unknown[] = [];
    client.onerror = (error) => problems.push(error);
    const written = text(transport.stderr as Readable);
    await client.connect(transport);
    assert.ok(Array.isArray(((await call(client, 'search_plants')) as { readonly plants: unknown }).plants));
    await client.close();
    assert.equal(await written, '');
    assert.deepEqual(problems, []);
  });

  it('ends with 0 at SIGTERM', async () => {
    const mcp = spawnCli(['mcp'], env);
    mcp.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await mcp.printed('"id":1');
    mcp.signal('SIGTERM');
    assert.deepEqual(await mcp.ended, { code: 0, stdout: '{"result":{},"jsonrpc":"2.0","id":1}\n', stderr: '' });
  });
});
