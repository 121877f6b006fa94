/** The service beside the same operations on Fastify and better-sqlite3 (peer-server.ts): CPU time of a request. */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { toIdCursor } from '../src/http/operations/paging.ts';
import { compare, type Goals, reportComparison, type Side } from './compare.ts';
import type { Bench } from './context.ts';
import { Creates } from './creates.ts';
import { idAt } from './plants.ts';
import { read } from './service.ts';

const part = 'peers';
const pageRows = 100;
const lineCount = 50_000;
/** Number of replies that are compared. */
const sampleCount = 50;

interface Kind {
  readonly name: string;
  readonly toPath: (id: bigint) => string;
  /** The peer's cursor is the id itself. */
  readonly toPeerPath: (id: bigint) => string;
  readonly goals: Goals;
}

const reads: readonly Kind[] = [
  {
    name: 'get',
    toPath: (id) => `/plants/${id}`,
    toPeerPath: (id) => `/plants/${id}`,
    goals: { cpuRatio: 1.25 },
  },
  {
    name: `page of ${pageRows}`,
    toPath: (id) => `/plants?limit=${pageRows}&cursor=${toIdCursor(id)}`,
    toPeerPath: (id) => `/plants?limit=${pageRows}&cursor=${id}`,
    goals: { cpuRatio: 1.15 },
  },
];

export async function runPeers(bench: Bench): Promise<void> {
  if (!isDriverInstalled())
    throw new Error(
      'Run "npm install --no-save better-sqlite3@13.2.0" first: as a dependency, each clone would compile it',
    );
  const { options, report, workspace } = bench;
  const service = await bench.largeService();
  const args = [join(import.meta.dirname, 'peer-server.ts'), workspace.makePath('peer.db'), String(options.rows)];
  const peer = await workspace.start({ command: process.execPath, args }, /listening on (\d+)/);
  const toPeer = (linesOf: Side['linesOf']): Side => ({ name: 'Fastify, better-sqlite3', server: peer, linesOf });
  for (const { name, toPath, toPeerPath, goals } of reads) {
    const ids = Array.from({ length: lineCount }, () => idAt(randomInt(options.rows)));
    for (const id of ids.slice(0, sampleCount)) {
      const [ours, theirs] = await Promise.all([read(service.port, toPath(id)), read(peer.port, toPeerPath(id))]);
      if (ours.body !== theirs.body) report.wrong(part, `${toPath(id)} is answered as ${ours.body} and ${theirs.body}`);
    }
    const [lines, peerLines] = [toPath, toPeerPath].map((toEach) =>
      workspace.write('reads', ids.map((id) => `${toEach(id)}\n`).join('')),
    );
    const comparison = await compare(
      bench,
      toPeer(() => peerLines ?? ''),
      { name: 'the service', server: service, linesOf: () => lines ?? '' },
    );
    reportComparison(report, part, comparison, goals, name);
  }
  const creates = await Creates.open(bench, service);
  const comparison = await compare(
    bench,
    toPeer((turn) => creates.linesOf(turn)),
    creates.toSide('the service'),
  );
  reportComparison(report, part, comparison, { cpuRatio: 0.33 }, 'create');
  await creates.check(part);
  await peer.stop();
}

function isDriverInstalled(): boolean {
  try {
    return import.meta.resolve('better-sqlite3') !== '';
  } catch {
    return false;
  }
}
