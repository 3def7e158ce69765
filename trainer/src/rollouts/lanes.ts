/**
 * Work side by side: a policy decodes several contexts in one run at less than their sum. Owns no
 * work of its own.
 */

/** More cost as much as they gain: the native library copies the keys and values of a run. */
const LANES = 8;

/**
 * Runs `work` for each index below `count`, several at a time.
 * @returns what each gave, by index. Rejects with the first failure, when nothing runs any more.
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
