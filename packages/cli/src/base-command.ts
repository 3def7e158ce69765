/** `base`: makes the small model that a site starts from. `dev` and `loop` make the same one if it is missing. */
import { baseFolder, requireEnvironment } from "@waggle/dev";
import { WaggleError } from "@waggle/protocol";
import {
  baseTasksOption,
  jsonOption,
  noResumeOption,
  type ProgramOptions,
  trainEnvironmentBase,
} from "@waggle/trainer";
import type { Command } from "commander";
import { siteOf, withSite } from "./site-option.ts";

type Flags = {
  readonly site?: string;
  readonly tasks: number;
  readonly resume: boolean;
  readonly json?: boolean;
};

/** Adds the command. */
export function addBaseCommand(
  program: Command,
  { signal, writeOut, writeError }: Pick<ProgramOptions, "signal" | "writeOut" | "writeError">,
): void {
  withSite(program.command("base"))
    .description("make the small model that a site starts from, and its model card")
    .addOption(baseTasksOption())
    .addOption(noResumeOption())
    .addOption(jsonOption())
    .action(async (_: string | undefined, { site: source, tasks, resume, json = false }: Flags) => {
      const site = requireEnvironment(await siteOf(source), "waggle base");
      if (site.model !== undefined) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `error: the site ${site.name} has the model ${site.model}; to make a base, leave model out of waggle.config.ts`,
        );
      }
      await trainEnvironmentBase(
        {
          spec: site.environment,
          out: baseFolder(site),
          bases: "",
          ...site.base,
          tasks,
          resume,
          saveEvery: 100,
          tensorboard: false,
          json,
        },
        { out: writeOut, error: writeError },
        signal,
      );
    });
}
