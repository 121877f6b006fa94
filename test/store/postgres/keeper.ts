/**
 * A process that owns the database servers of one run of the tests: starts each when it is first asked for, and removes all of them
 * when its stdin ends, which it does however the process ends that started this one.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chmodSync } from 'node:fs';
import { createCluster, type Major, majors, type Server, startServer } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'plant-store-postgres-'));
chmodSync(folder, 0o755);
const servers = new Map<Major, Promise<Server>>();

async function start(major: Major): Promise<Server> {
  const own = join(folder, String(major));
  mkdirSync(own);
  const options = { major, folder: own };
  return startServer(options, await createCluster(options));
}

async function end(): Promise<never> {
  await Promise.allSettled([...servers.values()].map(async (server) => (await server).stop()));
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

process.stdin.on('end', () => void end()).resume();
// The terminal sends it to the whole group; the end of stdin follows.
process.on('SIGINT', () => undefined);

const http = createServer((request, response) => {
  const major = majors.find((each) => request.url === `/${each}`);
  if (major === undefined) {
    response.writeHead(404).end();
    return;
  }
  let server = servers.get(major);
  if (server === undefined) servers.set(major, (server = start(major)));
  server.then(
    ({ url }) => response.end(url),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
http.listen(0, '127.0.0.1', () => {
  const address = http.address();
  console.log(typeof address === 'object' && address !== null ? address.port : 0);
});
