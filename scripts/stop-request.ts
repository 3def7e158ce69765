/** When a script should end: a signal, a closed terminal, or a parent that is gone. */

/** Calls `stop` at each request; `reason` is for people. */
export function onStopRequest(stop: (reason: string) => void): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => stop("stopped by the user"));
  }
  // npm, or scripts/run.mjs, was killed; nobody can press Ctrl-C any more.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop("the process that started this one is gone");
  }, 1000).unref();
}
