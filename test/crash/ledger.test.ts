/** What the ledger makes of answers: it must neither miss a broken promise nor see one where requests overlap. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Ledger } from './ledger.ts';

const plant = { id: 1n, name: 'fern' };
const busy = { status: 503, body: '{"error":50301,"message":"Busy"}', isReplayed: false, retryAfter: '1' };

it('a plant that was refused with the word that nothing was written must not be stored', () => {
  const ledger = new Ledger();
  const attempt = ledger.add(plant);
  ledger.noteSent(attempt);
  ledger.noteAnswer(attempt, 'absent', busy);
  ledger.settle(new Map([[plant.id, plant]]));
  assert.equal(ledger.findings.invented.length, 1);
});

it('that word says nothing of another request for the plant, which was not answered', () => {
  const ledger = new Ledger();
  const attempt = ledger.add(plant);
  ledger.noteSent(attempt);
  ledger.noteSent(attempt);
  ledger.noteAnswer(attempt, 'absent', busy);
  ledger.settle(new Map([[plant.id, plant]]));
  assert.deepEqual(ledger.findings.invented, []);
  assert.equal(attempt.knowledge, 'stored');
});
