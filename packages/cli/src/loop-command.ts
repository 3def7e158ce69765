/**
 * `loop`: runs the whole loop once, headless. Progress goes to standard error. The last line of standard output is the
 * report as one JSON object.
 */
import { runLoop, stopSignal } from "@waggle/dev";
import type { ProgramOptions } from "@waggle/trainer";
import type { Command } from "commander";
import { type LoopFlags, loopOptions, modelOf, withLoopOptions } from "./loop-options.ts";
import { loopTable } from "./loop-table.ts";
import { loopWarning } from "./loop-warning.ts";
import { type DefaultSite, siteOf, withSite } from "./site-option.ts";

/** Options of `addLoopCommand`. */
export type LoopCommandOptions = Pick<ProgramOptions, "writeOut" | "writeError"> & {
  readonly defaultSite?: DefaultSite | undefined;
};

/** Adds the command. */
export function addLoopCommand(program: Command, options: LoopCommandOptions): void {
  const { defaultSite, writeOut, writeError } = options;
  withLoopOptions(withSite(program.command("loop"), defaultSite))
    .description(
      "run the whole loop once: simulated visitors in Chromium, a local edge and a trainer",
    )
    .action(async (_: string | undefined, given: LoopFlags & { readonly site?: string }) => {
      const site = await siteOf(given.site, defaultSite, modelOf(given));
      const began = Date.now();
      const report = await runLoop({
        ...loopOptions(given, site),
        onLine: (name, line) => {
          if (line.trim() === "") return;
          const seconds = ((Date.now() - began) / 1000).toFixed(0).padStart(5);
          writeError(`${seconds} s  ${name.padEnd(9)} ${line}`);
        },
        signal: stopSignal(),
      });
      if (!given.json) for (const line of loopTable(report)) writeOut(line);
      writeOut(JSON.stringify(report));
      const warning = loopWarning(report);
      if (warning !== null) writeError(warning);
    });
}
