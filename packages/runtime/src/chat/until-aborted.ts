/** Waiting that an abort ends at once. */

/** Settles as the work does; rejects with the signal's reason as soon as it aborts. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", leave);
    void work.then(resolve, reject).finally(() => signal?.removeEventListener("abort", leave));
  });
}
