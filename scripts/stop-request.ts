/** Requests to stop a script: a signal, a closed terminal, or the end of its parent. */

/** Calls `stop` at each request, with the reason for display. */
export function onStopRequest(stop: (reason: string) => void): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => stop("stopped by the user"));
  }
  // npm or scripts/run.mjs was killed, so Ctrl-C no longer reaches this process.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop("the parent process is gone");
  }, 1000).unref();
}
