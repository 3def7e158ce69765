/**
 * `train-base`: trains the nano base model from scratch with the project's own engine on
 * demonstrations of its own environments, evaluates it and writes its folder.
 */
import type { Command } from "commander";
import { positive, wholeIn } from "../options/option-values.ts";
import {
  jsonOption,
  mustResumeOption,
  noResumeOption,
  saveEveryOption,
  tensorboardOption,
} from "../options/shared-options.ts";
import { DEFAULT_SEED, DEFAULT_STEPS } from "./nano-recipe.ts";
import { type PretrainCommandOptions, runPretraining } from "./pretrain-command.ts";

type Flags = Omit<PretrainCommandOptions, "report"> & { report: string | false };

export function addTrainBaseCommand(
  program: Command,
  { signal }: { readonly signal: AbortSignal },
): void {
  program
    .command("train-base")
    .description("train the nano base model from scratch")
    .option("--steps <n>", "optimizer steps", positive, DEFAULT_STEPS)
    .option("--out <folder>", "folder for the model", "packages/model/nano")
    .option("--run <folder>", "folder for the checkpoint", ".waggle/pretrain")
    .addOption(mustResumeOption())
    .addOption(noResumeOption())
    .option("--seed <n>", "seed of data and initial weights", wholeIn(1, 0xffff_ffff), DEFAULT_SEED)
    .option("--tasks <n>", "held-out tasks per evaluation", positive, 400)
    .option(
      "--report <file>",
      "file for the training curve and evaluation, as JSON",
      "docs/evidence/pretrain.json",
    )
    .option("--no-report", "write no report")
    .addOption(saveEveryOption(100))
    .addOption(tensorboardOption())
    .addOption(jsonOption())
    .action(async (given: Flags) => {
      const report = given.report === false ? null : given.report;
      process.exitCode = await runPretraining({ ...given, report }, signal);
    });
}
