/** awaitStop(): what each signal begins, and when. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommandContext, StopSignal } from '../../src/cli/command-context.ts';
import { awaitStop } from '../../src/cli/serve/await-stop.ts';
import type { Log } from '../../src/observe/log.ts';
import { stopClock } from '../support/stop-clock.ts';

function open(drainDelayMs: number) {
  const exits: number[] = [];
  let signal = (_signal: StopSignal): void => undefined;
  const context = {
    onStopSignal: (listener) => (signal = listener),
    exitNow: (code) => exits.push(code),
  } as Partial<CommandContext> as CommandContext;
  const log = { info: () => undefined } as Partial<Log> as Log;
  const stop = awaitStop(context, { drainDelayMs }, log);
  const state = (): boolean[] => [stop.stopping.aborted, stop.shutdown.signal.aborted];
  return { exits, stop, state, signal: (name: StopSignal) => signal(name) };
}

describe('awaitStop()', () => {
  it('ends all with the first signal, unless there is a delay', async (t) => {
    const { state, signal, stop } = open(0);
    assert.deepEqual(state(), [false, false]);
    signal('SIGTERM');
    assert.deepEqual(state(), [true, true]);
    assert.equal(await stop.stopped, 'SIGTERM');
    const pass = stopClock(t, { apis: ['setTimeout'] });
    const delayed = open(5_000);
    delayed.signal('SIGTERM');
    pass(4_999);
    assert.deepEqual(delayed.state(), [true, false]);
    pass(1);
    assert.deepEqual(delayed.state(), [true, true]);
    assert.equal(await delayed.stop.stopped, 'SIGTERM');
  });

  it('ends the process with the second one, also in the delay', () => {
    const { signal, exits } = open(60_000);
    signal('SIGTERM');
    assert.deepEqual(exits, []);
    signal('SIGINT');
    assert.deepEqual(exits, [1]);
  });
});
