/** Options of runs whose rollouts continue during optimizer steps. */
import { type Command, Option } from "commander";
import type { SwapPoint } from "@waggle/agent";
import { positive, whole } from "./option-values.ts";
import type { OverlapOptions } from "../loop/overlapped-stage.ts";

/** Parsed values of the overlap options. */
export type OverlapFlags = {
  async: boolean;
  maxLag: number;
  swap: SwapPoint;
  maxRunning?: number;
};

/** Adds `--async` and the options that need it. */
export function addOverlapOptions(command: Command): Command {
  return command
    .option(
      "--async",
      "continue rollouts during optimizer steps, in stages whose policy samples the trajectories",
      false,
    )
    .option("--max-lag <n>", "with --async: maximum staleness of a token, in steps", whole, 2)
    .addOption(
      new Option(
        "--swap <point>",
        "with --async: when a running rollout switches to a newer version",
      )
        .choices(["never", "turn", "token"] satisfies SwapPoint[])
        .default("turn" satisfies SwapPoint),
    )
    .option(
      "--max-running <n>",
      "with --async: maximum number of tasks rolled out concurrently",
      positive,
    );
}

/** Options that only apply with `--async`. */
const ONLY_ASYNC = ["maxLag", "swap", "maxRunning"] as const;

/** Ends the command if one of them is given without `--async`. */
export function requireAsync(command: Command): void {
  if (command.getOptionValue("async") === true) return;
  for (const name of ONLY_ASYNC) {
    if (command.getOptionValueSource(name) !== "cli") continue;
    const { flags } = command.options.find((option) => option.attributeName() === name) ?? {};
    command.error(`error: option '${flags}' needs --async; add it, or leave this one out`);
  }
}

/** `undefined` if rollouts and steps alternate. */
export function overlapOf(flags: OverlapFlags): OverlapOptions | undefined {
  if (!flags.async) return undefined;
  return { mostStaleness: flags.maxLag, swap: flags.swap, mostRunning: flags.maxRunning };
}
