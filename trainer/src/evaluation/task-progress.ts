/** Progress of an evaluation that takes minutes: how many of its tasks are done. */

/** Least time between two reports. */
const PROGRESS_MS = 5000;

/**
 * A function to call after each task. It reports the number of done tasks every few seconds, and all of them at the end.
 *
 * @param now - clock in ms
 */
export function taskProgress(
  tasks: number,
  report: (done: number) => void,
  now: () => number = () => performance.now(),
): () => void {
  let done = 0;
  let reportedAt = now();
  return () => {
    done += 1;
    if (done < tasks && now() - reportedAt < PROGRESS_MS) return;
    reportedAt = now();
    report(done);
  };
}
