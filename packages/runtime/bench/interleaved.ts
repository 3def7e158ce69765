/** Measures several things in turns, so that other load on the machine affects all alike. */

/**
 * The least of `rounds` measurements of each, after one warm-up round, which compiles code and grows
 * memory as in a page that has been in use.
 *
 * @param measures - each measures once, in a unit where less is better.
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
