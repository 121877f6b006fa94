/** Searches beyond those that may wait. On a data folder alone: the suite of the store tests each adapter. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import type { Reply } from '../support/reply.ts';
import { sendRaw } from '../support/request.ts';
import { startProcess } from '../support/start-process.ts';

/** How often it is tried: on a busy machine, those that came first may be answered before the others arrive. */
const roundsMax = 20;

describe('searches', () => {
  it('are refused while too many wait', async (context) => {
    const service = await startProcess(context);
    const count = 200;
    /** Sends all searches at once, after all connections are open. */
    const searchAtOnce = async (): Promise<Reply[]> => {
      let open = 0;
      const all = Promise.withResolvers<undefined>();
      const search = (index: number): Promise<Reply[]> => {
        const head = `GET /plants?name=a${index} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\n`;
        const waitForAll = (): Promise<undefined> => {
          if (++open === count) all.resolve(undefined);
          return all.promise;
        };
        return sendRaw(service, [head, waitForAll, '\r\n']);
      };
      return (await Promise.all(Array.from({ length: count }, (_, index) => search(index)))).flat();
    };
    let refused: Reply[] = [];
    for (let round = 0; round < roundsMax && refused.length === 0; round++)
      refused = (await searchAtOnce()).filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0 && refused.length < count, `${refused.length} were refused`);
    for (const reply of refused) assertError(reply, 'store_busy');
  });
});
