/** Measures several things by turns, so that what else the machine does hits all alike. */

/**
 * The least of `rounds` measurements of each, after one round that is thrown away: compiled code and
 * grown memory are what a page has in use.
 *
 * @param measures - each measures once, in any unit where less is better.
 */
export async function interleavedBest(
  rounds: number,
  measures: readonly (() => Promise<number>)[],
): Promise<number[]> {
  const best = measures.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, measure] of measures.entries()) {
      const measured = await measure();
      if (round > 0) best[index] = Math.min(best[index] as number, measured);
    }
  }
  return best;
}
