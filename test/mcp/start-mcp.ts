/** `plant-store mcp` in this process, spoken to line by line, or by the protocol's own client. */
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { CommandContext, Output, StopSignal } from '../../src/cli/command-context.ts';
import { runHere } from '../cli/run-cli.ts';
import type { Cleanup } from '../support/clean-up.ts';

export interface StartedMcp {
  /** Writes a message, or bytes as they are. */
  readonly send: (message: object | string | Uint8Array) => void;
  /** Resolves to the next line of stdout; to undefined at its end. */
  readonly next: () => Promise<string | undefined>;
  readonly signal: (signal: StopSignal) => void;
  /** Closes standard input. */
  readonly close: () => void;
  readonly ended: Promise<{ readonly code: number; readonly stderr: string }>;
}

export function startMcp(args: readonly string[], env: Readonly<Record<string, string>>, scope: Cleanup): StartedMcp {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let stderr = '';
  const toOutput = (take: (bytes: Uint8Array | string) => void): Output => ({
    isTTY: false,
    columns: undefined,
    write: take,
    writeAll: (bytes) => {
      take(bytes);
      return Promise.resolve(true);
    },
  });
  const listeners = new Set<(signal: StopSignal) => void>();
  const onStopSignal: CommandContext['onStopSignal'] = (listener) => void listeners.add(listener);
  const outputs = {
    stdout: toOutput((bytes) => void stdout.write(bytes)),
    stderr: toOutput((text) => (stderr += String(text))),
  };
  const ended = runHere(['mcp', ...args], { ...outputs, stdin, env, onStopSignal }).then((code) => {
    stdout.end();
    return { code, stderr };
  });
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  scope.after(async () => void stdin.end());
  return {
    send: (message) =>
      void stdin.write(
        typeof message === 'string' || message instanceof Uint8Array ? message : `${JSON.stringify(message)}\n`,
      ),
    next: async () => {
      const result = await lines.next();
      return result.done === true ? undefined : result.value;
    },
    signal: (name) => listeners.forEach((listener) => listener(name)),
    close: () => void stdin.end(),
    ended,
  };
}

/** @param version `initialize` for the newest version that begins with it. */
export async function connect(mcp: StartedMcp, version: 'initialize' | '2026-07-28'): Promise<Client> {
  const transport: Transport = {
    start: async () => {
      void (async () => {
        for (let line = await mcp.next(); line !== undefined; line = await mcp.next())
          transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
        transport.onclose?.();
      })();
    },
    send: async (message) => mcp.send(message),
    close: async () => mcp.close(),
  };
  const mode = version === 'initialize' ? 'legacy' : { pin: version };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}
