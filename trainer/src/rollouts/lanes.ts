/**
 * Bounded concurrency for rollouts: a policy decodes several contexts in one batch for less than
 * the sum of their costs.
 */

/**
 * More lanes cost as much as they gain: the native library copies the keys and values of each
 * batch.
 */
const LANES = 8;

/**
 * Runs `work` for each index below `count`, several concurrently.
 * @returns results by index. Rejects with the first failure once no work is running.
 */
export async function inLanes<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      try {
        results[index] = await work(index);
      } catch (error) {
        next = count;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(LANES, count) }, lane));
  const failed = ended.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return results;
}
