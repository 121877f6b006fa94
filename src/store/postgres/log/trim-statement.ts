/**
 * The SQL that trims the change log: one statement, whose parts are named below in their order. All
 * parts read the tables as they were before it, so a part reads the results of another by its name.
 */
import { userIdPrefix } from '../../../domain/principal.ts';
import { ageSteps, trimmedMax, type TrimOptions } from '../../change-trimmer.ts';
import type { Statement } from '../connect/connection.ts';
import type { BoundStatement } from '../connect/statement.ts';
import { nowMs } from './change-rows.ts';

const recordsMax = '$1::int8';
const ageMsMax = '$2::int8';
const elapsedMs = '$3::int8';
/** The least time between two rows of `change_ages`. */
const ageStepMs = '$4::int8';

/** `clock`: of the server, read once. `bounds`: both ends of the log, and how long the store was served. */
const readBounds = `
  clock AS (
    SELECT ${nowMs} AS now
  ),
  bounds AS (
    SELECT last, trimmed, served + greatest(0, least(${elapsedMs}, (SELECT now FROM clock) - served_at)) AS served
    FROM change_log
  )`;
const trimmed = '(SELECT trimmed FROM bounds)';
const served = '(SELECT served FROM bounds)';
const servedAtLimit = `${served} - ${ageMsMax}`;

/**
 * `noted_age`: at each step of the age limit, where the log ends now. `old`: the last change that is
 * too old. `forgotten_ages`: those that no later trim needs.
 */
const noteAge = `
  noted_age AS (
    INSERT INTO change_ages SELECT served, last FROM bounds
    WHERE served >= coalesce((SELECT max(served) FROM change_ages) + ${ageStepMs}, 0)
    ON CONFLICT DO NOTHING RETURNING served
  ),
  old AS (
    SELECT coalesce(max(position), 0) AS position FROM change_ages WHERE served <= ${servedAtLimit}
  ),
  forgotten_ages AS (
    DELETE FROM change_ages WHERE position < (SELECT position FROM old)
  )`;

const tokenHasEnded = `(revoked_at IS NOT NULL OR (expires_at <= (SELECT now FROM clock)) IS TRUE)`;

/**
 * At the same steps. `noted_tokens`: when a token was first seen to have ended. `removed_tokens`:
 * those that ended before the oldest change that may be kept.
 */
const removeTokens = `
  noted_tokens AS (
    UPDATE tokens SET ended = CASE WHEN ended IS NULL THEN noted_age.served END FROM noted_age
    WHERE (ended IS NULL) = ${tokenHasEnded} AND id NOT LIKE '${userIdPrefix}%'
  ),
  removed_tokens AS (
    DELETE FROM tokens WHERE EXISTS (SELECT FROM noted_age) AND ${tokenHasEnded}
      AND ended < (SELECT max(served) FROM change_ages WHERE served <= ${servedAtLimit})
      AND position > (SELECT min(position) FROM tokens)
  )`;

/** `step`: the last change to remove now, beyond a limit, and at most `trimmedMax` from the first. */
const removeChanges = `
  step AS (
    SELECT max(position) AS last FROM changes
    WHERE position > ${trimmed} AND position <= ${trimmed} + ${trimmedMax}
      AND position <= (SELECT greatest(old.position, last - ${recordsMax}) FROM old, bounds)
  ),
  removed AS (
    DELETE FROM changes WHERE position > ${trimmed} AND position <= (SELECT last FROM step)
    RETURNING id, change_group
  )`;

/**
 * For each group of removed changes. `expiring`: how many are of plants that are still as the group
 * left them; an undo misses them. `left_over`: whether the log still has changes of the group.
 * `removed_groups`: those without changes. `expired`: what a report of an undo counts as expired.
 */
const updateGroups = `
  expiring AS MATERIALIZED (
    SELECT change_group, count(*) FILTER (WHERE change_group = (SELECT c.change_group FROM changes AS c
        WHERE c.id >= removed.id AND (c.id, c.position) <= (removed.id, 9223372036854775807)
        ORDER BY c.id DESC, c.position DESC LIMIT 1)) AS changes
    FROM removed WHERE change_group IS NOT NULL GROUP BY change_group
  ),
  left_over AS MATERIALIZED (
    SELECT change_group, changes, (SELECT true FROM changes AS c
      WHERE c.change_group <= expiring.change_group AND (c.change_group, c.id) >= (expiring.change_group, -9223372036854775808)
        AND c.position > (SELECT last FROM step) ORDER BY c.change_group, c.id LIMIT 1) AS is_kept
    FROM expiring
  ),
  removed_groups AS (
    DELETE FROM change_groups USING left_over AS l WHERE key = l.change_group AND l.is_kept IS NULL
  ),
  expired AS (
    UPDATE change_groups SET expired = expired + l.changes FROM left_over AS l
    WHERE key = l.change_group AND l.is_kept AND l.changes > 0
  )`;

/** Where the log begins now, and how long the store was served. */
const saveBounds = `
  UPDATE change_log SET trimmed = coalesce((SELECT last FROM step), trimmed),
    served = ${served}, served_at = (SELECT now FROM clock)
  RETURNING (SELECT count(*) FROM removed) = ${trimmedMax}`;

const trimChanges: Statement = {
  name: 'trim-changes',
  text: `WITH ${[readBounds, noteAge, removeTokens, removeChanges, updateGroups].join(',')} ${saveBounds}`,
};

/**
 * Removes the oldest changes beyond the limits, and tokens that ended before them: not the first,
 * without which a store would take its initial token again, nor users of a provider, who could
 * come in again. Returns whether there may be more to remove.
 * Only time on which both clocks agree counts, whatever the times of the changes say. Positions
 * have no gaps, so both ends of what is read are known: no plan, not even one that was made
 * while the log was empty, reads all of it. Only for who has locked the log in a statement
 * before: of a group whose newest changes it did not see, it would remove the name.
 */
export function trimStatement(options: TrimOptions): BoundStatement {
  const stepMs = Math.ceil(options.ageMsMax / ageSteps);
  return { statement: trimChanges, values: [options.recordsMax, options.ageMsMax, options.elapsedMs, stepMs] };
}
