/**
 * `train-base`: trains a base model from scratch on demonstrations and evaluates it: the nano model, or with
 * `--env` the base of one environment.
 */
import type { Command } from "commander";
import { environmentFrom } from "../extensions/environment-module.ts";
import {
  basesOption,
  environmentOption,
  jsonOption,
  mustResumeOption,
  noResumeOption,
  outOption,
  runOption,
  saveEveryOption,
  seedOption,
  stepsOption,
  tasksOption,
  tensorboardOption,
} from "../options/shared-options.ts";
import { fraction } from "../options/option-values.ts";
import { DEFAULT_SEED, DEFAULT_STEPS } from "./nano-recipe.ts";
import { type PretrainCommandOptions, runPretraining } from "./pretrain-command.ts";
import { trainEnvironmentBase } from "./train-environment-base.ts";

const SEEDS = { least: 1, most: 0xffff_ffff, byDefault: DEFAULT_SEED };

type Flags = Omit<PretrainCommandOptions, "report"> & {
  report: string | false;
  env?: string;
  bases: string;
  mistakes?: number;
  habits?: number;
};

type TrainBaseOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
};

export function addTrainBaseCommand(
  program: Command,
  { signal, writeOut, writeError }: TrainBaseOptions,
): void {
  program
    .command("train-base")
    .description("train the nano base model, or the base of an environment, from scratch")
    .addOption(environmentOption("the nano model's own"))
    .addOption(basesOption())
    .addOption(stepsOption("optimizer steps; with --env: 700").default(DEFAULT_STEPS))
    .addOption(
      outOption("folder for the model; with --env: its folder in --bases").default(
        "packages/model/nano",
      ),
    )
    .addOption(runOption(".waggle/pretrain"))
    .addOption(mustResumeOption())
    .addOption(noResumeOption())
    .addOption(seedOption("seed of data and initial weights", SEEDS))
    .addOption(tasksOption(400))
    .option(
      "--mistakes <rate>",
      "with --env: error rate of the demonstrations (default: 0.1; built-in environments: 0.35)",
      fraction,
    )
    .option(
      "--habits <share>",
      "with --env: share of demonstrations that always err in the same way, so that greedy decoding errs too (default: 0.75 in three of five patterns; built-in environments: 0)",
      fraction,
    )
    .option(
      "--report <file>",
      "file for the training curve and evaluation, as JSON",
      "docs/evidence/pretrain.json",
    )
    .option("--no-report", "write no report")
    .addOption(saveEveryOption(100))
    .addOption(tensorboardOption())
    .addOption(jsonOption())
    .action(async (given: Flags, command: Command) => {
      if (given.env !== undefined) {
        const isChosen = (option: string): boolean =>
          command.getOptionValueSource(option) === "cli";
        const { steps, seed, out, ...others } = given;
        const spec = await environmentFrom(given.env);
        const chosen = {
          ...others,
          spec,
          steps: isChosen("steps") ? steps : undefined,
          seed: isChosen("seed") ? seed : undefined,
          out: isChosen("out") ? out : undefined,
        };
        await trainEnvironmentBase(chosen, { out: writeOut, error: writeError }, signal);
        return;
      }
      const report = given.report === false ? null : given.report;
      process.exitCode = await runPretraining({ ...given, report }, signal);
    });
}
