/** Waiting that an abort ends at once. */

/** Settles as the work does; rejects with the signal's reason as soon as it aborts. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}
