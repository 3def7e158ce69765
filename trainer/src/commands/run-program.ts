/** Connects a program to this process: its arguments, streams, signals and exit code. */
import type { Command } from "commander";
import type { ProgramOptions } from "../options/program-options.ts";
import { exitCodeOf } from "./command-line.ts";

/** Parses this process's arguments, runs the command and sets the exit code. */
export async function runProgram(
  create: (options: ProgramOptions) => Command,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      // A second Ctrl-C exits at once.
      if (stop.signal.aborted) process.exit(130);
      stop.abort();
    });
  }

  // A closed pipe (`| head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });

  try {
    await create({
      signal: stop.signal,
      writeOut: (line) => process.stdout.write(`${line}\n`),
      writeError: (line) => process.stderr.write(`${line}\n`),
      environment: process.env,
    }).parseAsync(args, { from: "user" });
  } catch (error) {
    // The entry point of the process: the only place that converts a failure into an exit code.
    if (!stop.signal.aborted) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
    // Commands that handle being stopped do not throw.
    process.exitCode = stop.signal.aborted ? 130 : exitCodeOf(error);
  }
}
