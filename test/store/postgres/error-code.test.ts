/** What each error of the database means for the writes it met. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toFailure, type Failure } from '../../../src/store/postgres/error-code.ts';

describe('toFailure()', () => {
  const rows: readonly (readonly [
    code: string | undefined,
    rolledBack: Failure,
    beforeCommit: Failure,
    after: Failure,
  ])[] = [
    ['40001', 'retry', 'unavailable', 'in-doubt'],
    ['40P01', 'retry', 'unavailable', 'in-doubt'],
    ['55P03', 'retry', 'unavailable', 'in-doubt'],
    ['57014', 'retry', 'unavailable', 'in-doubt'],
    ['23505', 'retry', 'unavailable', 'in-doubt'],
    ['25P02', 'retry', 'unavailable', 'in-doubt'],
    ['26000', 'retry', 'unavailable', 'in-doubt'],
    ['25006', 'elsewhere', 'unavailable', 'in-doubt'],
    ['53100', 'full', 'unavailable', 'in-doubt'],
    ['53300', 'unavailable', 'unavailable', 'in-doubt'],
    ['57P01', 'unavailable', 'unavailable', 'in-doubt'],
    ['57P02', 'unavailable', 'unavailable', 'in-doubt'],
    ['57P03', 'unavailable', 'unavailable', 'in-doubt'],
    ['58030', 'unavailable', 'unavailable', 'in-doubt'],
    ['08006', 'unavailable', 'unavailable', 'in-doubt'],
    ['40003', 'in-doubt', 'in-doubt', 'in-doubt'],
    ['XX000', 'unavailable', 'unavailable', 'in-doubt'],
    ['22P02', 'bug', 'unavailable', 'in-doubt'],
    ['42P01', 'denied', 'unavailable', 'in-doubt'],
    ['42501', 'denied', 'unavailable', 'in-doubt'],
    ['42703', 'bug', 'unavailable', 'in-doubt'],
    ['54000', 'bug', 'unavailable', 'in-doubt'],
    [undefined, 'bug', 'unavailable', 'in-doubt'],
  ];
  for (const [code, rolledBack, beforeCommit, afterCommit] of rows) {
    it(`${code ?? 'an error without a code'}: ${rolledBack}, ${beforeCommit} or ${afterCommit}`, () => {
      const error = Object.assign(new Error('failed'), code === undefined ? {} : { code });
      assert.equal(toFailure(error, { isCommitSent: false, isRolledBack: true }), rolledBack);
      assert.equal(toFailure(error, { isCommitSent: true, isRolledBack: true }), rolledBack);
      assert.equal(toFailure(error, { isCommitSent: false, isRolledBack: false }), beforeCommit);
      assert.equal(toFailure(error, { isCommitSent: true, isRolledBack: false }), afterCommit);
    });
  }
});

describe('toFailure() of an error that answers a COMMIT', () => {
  const outcomes = {
    '40001': 'retry',
    '23505': 'retry',
    '53100': 'full',
    '57014': 'in-doubt',
    '26000': 'in-doubt',
    XX000: 'in-doubt',
    '08006': 'in-doubt',
  };
  for (const [code, outcome] of Object.entries(outcomes))
    it(`${code}: ${outcome}`, () => {
      const error = Object.assign(new Error('failed'), { code });
      assert.equal(toFailure(error, { isCommitSent: true, isRolledBack: true, isOfCommit: true }), outcome);
    });
});
