/**
 * A load generator for machines without wrk, as a program: raw sockets, prepared requests. Its
 * argument is a `Load` in JSON.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Load, type LoadResult, requestParts } from './load.ts';

const { port, lines, connections, seconds } = JSON.parse(process.argv[2] ?? '') as Load;
const requests = readFileSync(lines, 'utf8').trimEnd().split('\n').map(toRequest);
/** Histogram of response times, in steps of 10 us up to 2 s. */
const stepUs = 10;
const times = new Uint32Array(200_000);
let [answers, failures, issued] = [0, 0, 0];
let isOver = false;

const sockets = await Promise.all(Array.from({ length: connections }, open));
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
for (const socket of sockets) drive(socket);
await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
isOver = true;
const tookSeconds = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);
const result: LoadResult = {
  requests: answers,
  failures,
  issued,
  seconds: tookSeconds,
  p50Ms: percentile(0.5),
  p99Ms: percentile(0.99),
  cpuSeconds: (user + system) / 1e6,
};
console.log(JSON.stringify(result));
for (const socket of sockets) socket.destroy();

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends requests one after another. */
function drive(socket: Socket): void {
  let sentAt = 0;
  let bytesLeft = 0;
  const send = (): void => {
    if (isOver) return;
    sentAt = performance.now();
    socket.write(requests[issued % requests.length] ?? '', 'latin1');
    issued += 1;
  };
  socket.on('error', () => (failures += 1));
  socket.on('data', (chunk: Buffer) => {
    if (isOver) return;
    if (bytesLeft > 0) bytesLeft -= chunk.length;
    else bytesLeft = readHead(chunk) - chunk.length;
    if (bytesLeft > 0) return;
    answers += 1;
    const step = Math.min(times.length - 1, Math.trunc(((performance.now() - sentAt) * 1000) / stepUs));
    times[step] = (times[step] ?? 0) + 1;
    send();
  });
  send();
}

/** Returns the length of the response in bytes. Both servers send short heads in one chunk. */
function readHead(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  if (head.charCodeAt(9) !== 0x32) failures += 1;
  return end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

function toRequest(line: string): string {
  return line.startsWith('{')
    ? `${requestParts.postHead}${line.length}\r\n\r\n${line}`
    : requestParts.getHead + line + requestParts.getTail;
}

function percentile(share: number): number {
  let left = answers * share;
  const step = times.findIndex((count) => (left -= count) <= 0);
  return (step * stepUs) / 1000;
}
