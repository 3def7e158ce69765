/**
 * Shares a machine between the sites of one trainer process. One site works at a time, and of those that wait, the one
 * that has worked least goes next. So a site with many visitors delays another by at most one piece of work.
 */

/** Runs the work when it is the caller's turn. Must not be called inside a turn. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

/** A site that waits, and how long it has worked, in milliseconds. */
type Waiting = { readonly worked: number; readonly start: () => void };

/** A site that had nothing to do gets at most this much of that time back. */
const CREDIT_MS = 60_000;

/**
 * @param now - a monotonic clock in milliseconds
 * @returns a function that adds a site
 */
export function fairTurns(now: () => number): () => Turn {
  const waiting: Waiting[] = [];
  let isBusy = false;
  /** How long the site that began last had worked by then. */
  let newest = 0;

  function next(): void {
    const least = Math.min(...waiting.map(({ worked }) => worked));
    const [site] = waiting.splice(
      waiting.findIndex(({ worked }) => worked === least),
      1,
    );
    isBusy = site !== undefined;
    site?.start();
  }

  return () => {
    let worked = 0;
    return async (work) => {
      worked = Math.max(worked, newest - CREDIT_MS);
      if (isBusy) await new Promise<void>((start) => waiting.push({ worked, start }));
      isBusy = true;
      newest = worked;
      const began = now();
      try {
        return await work();
      } finally {
        worked += now() - began;
        // First, the same site may ask again and be compared with those that wait.
        setImmediate(next);
      }
    };
  };
}
