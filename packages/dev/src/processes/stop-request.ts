/** Requests to stop a program: a signal, a closed terminal, or the end of its parent. */

/** Aborts at the first request, with the reason for display. */
export function stopSignal(): AbortSignal {
  const abort = new AbortController();
  const stop = (reason: string): void => abort.abort(new Error(reason));
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => stop("stopped by the user"));
  }
  // npm was killed, so Ctrl-C no longer reaches this process.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop("the parent process is gone");
  }, 1000).unref();
  return abort.signal;
}
