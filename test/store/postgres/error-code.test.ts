/** What each error of the database means for the writes it met. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failureOf, type Failure } from '../../../src/store/postgres/connect/error-code.ts';

describe('failureOf()', () => {
  /** By what it means once it is rolled back. */
  const codes: Partial<Record<Failure, readonly (string | undefined)[]>> = {
    retry: ['40001', '40P01', '55P03', '57014', '23505', '25P02', '26000'],
    elsewhere: ['25006'],
    full: ['53100'],
    unavailable: ['53300', '57P01', '57P02', '57P03', '58030', '08006', 'XX000'],
    'in-doubt': ['40003'],
    denied: ['42P01', '42501'],
    bug: ['22P02', '42703', '54000', undefined],
  };
  for (const [rolledBack, all] of Object.entries(codes))
    it(`${all.join()}: ${rolledBack} once it is rolled back, else unavailable before COMMIT and in doubt after it`, () => {
      for (const code of all) {
        const error = Object.assign(new Error('failed'), code === undefined ? {} : { code });
        assert.equal(failureOf(error, { isCommitSent: false, isRolledBack: true }), rolledBack);
        assert.equal(failureOf(error, { isCommitSent: true, isRolledBack: true }), rolledBack);
        const beforeCommit = rolledBack === 'in-doubt' ? 'in-doubt' : 'unavailable';
        assert.equal(failureOf(error, { isCommitSent: false, isRolledBack: false }), beforeCommit);
        assert.equal(failureOf(error, { isCommitSent: true, isRolledBack: false }), 'in-doubt');
      }
    });
});

describe('failureOf() of an error that answers a COMMIT', () => {
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
      assert.equal(failureOf(error, { isCommitSent: true, isRolledBack: true, isOfCommit: true }), outcome);
    });
});
