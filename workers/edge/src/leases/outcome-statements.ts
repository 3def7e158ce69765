/** The SQL that writes and counts the outcomes of leased trajectories. Outcomes are one parameter, as JSON. */

// A trajectory can be learned from again, with an answer of staff or late feedback. The first step stays.
const SET_OUTCOME = `
  UPDATE trajectories SET
    status = o.value ->> 'status', reason = o.value ->> 'reason',
    difference = o.value ->> 'difference', reward = o.value ->> 'reward',
    success = o.value ->> 'success', advantage = o.value ->> 'advantage',
    learnedAtStep = COALESCE(learnedAtStep, o.value ->> 'step'),
    taughtAt = CASE o.value ->> 'status' WHEN 'learned' THEN offeredAt ELSE taughtAt END, staleness = o.value ->> 'staleness',
    logProbGapMean = o.value ->> 'logProbGapMean', logProbGapMax = o.value ->> 'logProbGapMax',
    drawMismatches = o.value ->> 'drawMismatches'
  FROM json_each(?1) AS o
  WHERE +trajectories.site = ?site AND trajectories.digest = o.value ->> 'digest'`;
/** Of the rows of a lease. Parameters: the outcomes as JSON, the lease. */
export const WRITE_OUTCOMES: string = `${SET_OUTCOME}
    AND trajectories.leaseId = ?2 AND trajectories.status = 'leased'`;
/** Under an expired lease, learned outcomes are written regardless of the row's present status. */
export const WRITE_LATE: string = `${SET_OUTCOME}
    AND o.value ->> 'status' = 'learned' AND trajectories.status <> 'learned'`;

/** A letter that stays could be retried and learned from again. */
export const DROP_LEARNED_LETTERS: string = `
  DELETE FROM deadLetters WHERE +site = ?site AND digest IN
    (SELECT value ->> 'digest' FROM json_each(?1) WHERE value ->> 'status' = 'learned')`;
/** Rows that late outcomes would mark as learned, and those that are already. */
export const COUNT_LATE: string = `
  SELECT
    SUM(t.status <> 'learned') AS held,
    SUM(t.status = 'learned') AS twice
  FROM json_each(?1) AS o
  CROSS JOIN trajectories t ON t.site = ?site AND t.digest = o.value ->> 'digest'
  WHERE o.value ->> 'status' = 'learned'`;
/** Rows of a lease that have an outcome, and those that were learned before. */
export const COUNT_OUTCOMES: string = `
  SELECT
    SUM(t.leaseId = ?2 AND t.status = 'leased') AS held,
    SUM(t.status = 'learned' AND o.value ->> 'status' = 'learned') AS twice
  FROM json_each(?1) AS o
  CROSS JOIN trajectories t ON t.site = ?site AND t.digest = o.value ->> 'digest'`;
