/**
 * A process that owns the database servers of one run of the tests: GET /18 starts the shared one of a version when it is first asked
 * for, POST /18 one more. It removes all of them when its stdin ends, which it does however the process ends that started this one.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, type Major, majors, type Server, startServer } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'plant-store-postgres-'));
chmodSync(folder, 0o755);
const shared = new Map<Major, Promise<Server>>();
const servers: Promise<Server>[] = [];

function start(major: Major): Promise<Server> {
  const own = join(folder, `${major}-${servers.length}`);
  mkdirSync(own);
  const options = { major, folder: own };
  const server = createCluster(options).then((password) => startServer(options, password));
  servers.push(server);
  return server;
}

function findShared(major: Major): Promise<Server> {
  const server = shared.get(major) ?? start(major);
  shared.set(major, server);
  return server;
}

async function end(): Promise<never> {
  await Promise.allSettled(servers.map(async (server) => (await server).stop()));
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

process.stdin.on('end', () => void end()).resume();
// A terminal and `timeout` send these to the whole group; the end of stdin follows.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

const http = createServer((request, response) => {
  const major = majors.find((each) => request.url === `/${each}`);
  if (major === undefined) {
    response.writeHead(404).end();
    return;
  }
  const server = request.method === 'POST' ? start(major) : findShared(major);
  server.then(
    ({ url }) => response.end(url),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
http.listen(0, '127.0.0.1', () => {
  const address = http.address();
  console.log(typeof address === 'object' && address !== null ? address.port : 0);
});
