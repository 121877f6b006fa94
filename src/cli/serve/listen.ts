/** The address that the service listens on: opening it, and how it is named. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../config/load-config.ts';
import { options } from '../../config/options.ts';
import { isSystemError, toSystemReason } from '../../system/system-error.ts';

/** A start that cannot listen should not leave a new data folder. @throws Error as `listen`. */
export async function requireAddress(config: Config): Promise<void> {
  const trial = createServer((socket) => socket.destroy());
  await listen(config, () => once(trial.listen(config.port, config.host), 'listening'));
  await once(trial.close(), 'close');
}

/** Opens the address. @throws Error that names the address and what to do. */
export async function listen<Result>({ host, port }: Config, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (cause) {
    const isOfPort = isSystemError(cause, 'EADDRINUSE') || isSystemError(cause, 'EACCES');
    const option = isOfPort ? options.port : options.host;
    const remedy = `choose another with ${option.flag} or ${option.env} (with npm, write flags after --)`;
    throw new Error(`Cannot listen on ${addressOf(host, port)}: ${toSystemReason(cause)}; ${remedy}`, { cause });
  }
}

/** Addresses for a link, in place of addresses that stand for all interfaces. */
const loopbacks: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export function urlOf({ host, tlsCertFile, basePath }: Config, port: number): string {
  const scheme = tlsCertFile === undefined ? 'http' : 'https';
  return `${scheme}://${addressOf(loopbacks[host] ?? host, port)}${basePath}`;
}

/** The address itself, if the link has another one. */
export function toListening({ host }: Config, port: number): { readonly listeningOn?: string } {
  return host in loopbacks ? { listeningOn: addressOf(host, port) } : {};
}

function addressOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
