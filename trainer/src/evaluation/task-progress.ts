/** Progress of an evaluation that takes minutes: how many of its tasks are done, and how long the others will take. */

/** Least time between two reports. */
const PROGRESS_MS = 5000;

/**
 * A function to call after each task. It reports the number of done tasks every few seconds, and all of them at the end, with
 * the seconds that the others take at the mean speed so far.
 *
 * @param now - clock in ms
 */
export function taskProgress(
  tasks: number,
  report: (done: number, secondsLeft: number) => void,
  now: () => number = () => performance.now(),
): () => void {
  let done = 0;
  const startedAt = now();
  let reportedAt = startedAt;
  return () => {
    done += 1;
    if (done < tasks && now() - reportedAt < PROGRESS_MS) return;
    reportedAt = now();
    report(done, (((reportedAt - startedAt) / done) * (tasks - done)) / 1000);
  };
}
