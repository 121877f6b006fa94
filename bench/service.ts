/** Runs the service as a child process, by the command of `npm start`. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Server, Workspace } from './workspace.ts';

export interface Service extends Server {
  readonly folder: string;
}

/** The token of every load; sent to bare servers too, so that both read the same bytes. */
export const token = 'a-token-for-the-benchmark-alone';
export const ownRoot = join(import.meta.dirname, '..');

export interface ServiceOptions {
  readonly folder: string;
  /** The checkout whose service it is. */
  readonly root?: string;
  /** A folder for CPU profiles, one per thread. */
  readonly profile?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startService(
  workspace: Workspace,
  { folder, root = ownRoot, profile, env = {} }: ServiceOptions,
): Promise<Service> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const server = await workspace.start(
    {
      command: process.execPath,
      args: [...profiling, ...readCommand(root)],
      cwd: root,
      env: { PORT: '0', LOG_FORMAT: 'json', PLANT_STORE_DATA_DIR: folder, PLANT_STORE_INITIAL_TOKEN: token, ...env },
    },
    /"url":"http:\/\/127\.0\.0\.1:(\d+)/,
  );
  return { ...server, folder };
}

/** Returns the arguments of Node in `npm start` of a checkout. */
function readCommand(root: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').slice(1);
}

/** Resolves to the number of stored plants. */
export async function countStored(port: number): Promise<number> {
  return Number((await read(port, '/tags?limit=1')).headers['plants-stored']);
}

/** A response of the service, for a bare server to replay. */
export interface Captured {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Header fields that Node adds itself. */
const own = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** Resolves to the response. @throws Error unless it is 200. */
export function read(port: number, path: string): Promise<Captured> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sending = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('error', reject).on('end', () => {
        if (response.statusCode !== 200) {
          reject(new Error(`GET ${path} answers ${response.statusCode ?? 0}: ${body}`));
          return;
        }
        const fields = Object.entries(response.headers).filter(([name]) => !own.has(name));
        resolve({ headers: Object.fromEntries(fields.map(([name, value]) => [name, String(value)])), body });
      });
    });
    sending.on('error', reject).end();
  });
}
