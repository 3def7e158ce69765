/** One writer per file among all tabs of an origin, if the browser has Web Locks. */

/**
 * Runs `write` while no other tab writes the file of `key`. Without Web Locks it runs immediately:
 * chunks are named by hash, so two writers cost traffic, not correctness.
 *
 * @param signal - aborts waiting.
 */
export async function withFileLock<T>(
  key: string,
  signal: AbortSignal | undefined,
  write: () => Promise<T>,
): Promise<T> {
  const { locks } = globalThis.navigator as { locks?: LockManager };
  if (locks === undefined) return write();
  let result: T | undefined;
  await locks.request(lockName(key), signal === undefined ? {} : { signal }, async () => {
    result = await write();
  });
  return result as T;
}

/** Runs `change` unless another tab is writing the file of `key`. */
export async function unlessLocked(key: string, change: () => Promise<void>): Promise<void> {
  const { locks } = globalThis.navigator as { locks?: LockManager };
  if (locks === undefined) return change();
  await locks.request(lockName(key), { ifAvailable: true }, async (lock) => {
    if (lock !== null) await change();
  });
}

function lockName(key: string): string {
  return `waggle-file-${key}`;
}
