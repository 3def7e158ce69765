/** Connects the commands to this process: its arguments, streams, signals and exit code. */
import { exitCodeOf } from "@waggle/trainer";
import { createWaggle } from "./program.ts";

/** Runs the command line of this process and sets its exit code. */
export async function runProcess(): Promise<void> {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      // A second Ctrl-C ends the process at once.
      if (stop.signal.aborted) process.exit(130);
      stop.abort();
    });
  }

  // A reader that closes the pipe (`| head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });

  try {
    await createWaggle({
      signal: stop.signal,
      writeOut: (line) => process.stdout.write(`${line}\n`),
      writeError: (line) => process.stderr.write(`${line}\n`),
      environment: process.env,
    }).parseAsync(process.argv);
  } catch (error) {
    // The process entry: the only place that turns a failure into an exit code.
    if (!stop.signal.aborted) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
    // A command that handles being stopped does not throw.
    process.exitCode = stop.signal.aborted ? 130 : exitCodeOf(error);
  }
}
