/** Parts of a policy's start in the browser's timeline, which developer tools and benchmarks read. */

/** What a worker does until its policy is open. Engines measure `waggle compile` themselves. */
type StartPart = "read" | "check" | "open";

/** The task's result, with its time as the measure `waggle <part>`. */
export async function timed<T>(part: StartPart, task: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await task();
  } finally {
    performance.measure(`waggle ${part}`, { start });
  }
}
