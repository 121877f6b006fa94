/** The SQL that finds and removes listed words of no plant. word-sweeper.ts uses it. */
import { randomBytes } from 'node:crypto';
import type { Connection, Statement } from '../connection.ts';
import { writeWithinMs } from './plant-writes.ts';

/** Words that one look reads, in their order. */
const wordsMax = 50;

const selectWords: Statement = {
  name: 'list-listed-words',
  text: `SELECT word FROM search_words WHERE bucket = $1 AND word > $2 ORDER BY word LIMIT ${wordsMax}`,
};

const isUnused = `NOT EXISTS (SELECT FROM plants AS p WHERE p.bucket = $1 AND p.words @@ ('''' || word || '''')::tsquery)`;

const selectUnused: Statement = {
  name: 'list-unused-words',
  text: `SELECT word FROM buckets, unnest($2::text[]) AS word WHERE bucket = $1 AND ${isUnused}`,
};

/** What is lost of it is removed later. */
const beBrief = `SELECT set_config('lock_timeout', '100ms', true), set_config('synchronous_commit', 'off', true)`;
/**
 * A writer that found a word holds a lock on the table until its plants can be seen. So whoever
 * has this one sees all plants that rest on a word.
 */
const lockWords = 'LOCK TABLE search_words IN SHARE ROW EXCLUSIVE MODE';
const deleteUnused: Statement = {
  name: 'delete-unused-words',
  text: `DELETE FROM search_words WHERE bucket = $1 AND word = ANY($2::text[]) AND ${isUnused}`,
};

/** Citus refuses an UPDATE with `random()`. */
const changeMark: Statement = {
  name: 'change-words-mark',
  text: 'UPDATE buckets SET words_mark = $2 WHERE bucket = $1',
};

export interface Look {
  readonly unused: readonly string[];
  /** Where the next look begins; undefined after the last words. */
  readonly last: string | undefined;
}

/** Finds words without a plant among those after a word. */
export async function lookAtWords(connection: Connection, bucket: number, after: string): Promise<Look> {
  const { rows } = await connection.run(selectWords, [bucket, after], writeWithinMs);
  const words = rows.map(([word]) => String(word));
  const unused = await connection.run(selectUnused, [bucket, words], writeWithinMs);
  return {
    unused: unused.rows.map(([word]) => String(word)),
    last: words.length === wordsMax ? words.at(-1) : undefined,
  };
}

/** Removes words that still have no plant. Call in a transaction: writers wait some milliseconds. */
export async function removeWords(connection: Connection, bucket: number, words: readonly string[]): Promise<void> {
  await Promise.all([
    connection.run(beBrief, [], writeWithinMs),
    connection.run(lockWords, [], writeWithinMs),
    connection.run(deleteUnused, [bucket, words], writeWithinMs),
    // Never one that it had: a crash may forget the last ones.
    connection.run(changeMark, [bucket, randomBytes(8).readBigInt64LE()], writeWithinMs),
  ]);
}
