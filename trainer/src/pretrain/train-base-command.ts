/**
 * `train-base`: trains a base model on an environment's demonstrations and evaluates it: a small one, with `--from` one
 * that goes on from a model, with `--nano` one of the nano model's shape, or with `--size` the default model.
 */
import { join } from "node:path";
import { WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";
import { environmentFrom } from "../extensions/environment-module.ts";
import { environmentOption } from "../options/environment-option.ts";
import {
  basesOption,
  jsonOption,
  mustResumeOption,
  noResumeOption,
  outOption,
  runOption,
  saveEveryOption,
  seedOption,
  stepsOption,
  tensorboardOption,
} from "../options/shared-options.ts";
import { aboveZero, existingModel, fraction } from "../options/option-values.ts";
import { MODEL_SIZES } from "../checkpoint/pretraining-checkpoint.ts";
import { CONTINUED_BASE } from "./continued-base.ts";
import { DEFAULT_SEED, NANO, recipeOf } from "./pretrain-recipe.ts";
import { type PretrainCommandOptions, runPretraining } from "./pretrain-command.ts";
import { baseTasksOption, trainEnvironmentBase } from "./train-environment-base.ts";

const SEEDS = { least: 1, most: 0xffff_ffff, byDefault: DEFAULT_SEED };

type Flags = Omit<PretrainCommandOptions, "report" | "spec" | "source" | "steps" | "out"> & {
  steps?: number;
  out?: string;
  report?: string;
  env: string;
  nano?: boolean;
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
    .description("train the base model of an environment, from scratch or from a model")
    .addOption(environmentOption().makeOptionMandatory())
    .option(
      "--nano",
      "train a model of the nano model's shape, longer and with mistakes of the demonstrator's own",
    )
    .addOption(
      new Option(
        "--size <size>",
        "train the default model in this size; its first steps take tasks of the environment's second level, which must be short",
      )
        .choices(MODEL_SIZES)
        .conflicts("nano"),
    )
    .addOption(
      new Option(
        "--from <folder>",
        "model that training goes on from: default, nano or the folder of one that train-base made. With --size, it must have that size, and its demonstrations are new ones",
      )
        .argParser(existingModel)
        .conflicts("nano"),
    )
    .addOption(basesOption())
    .addOption(
      stepsOption(
        `optimizer steps (default: 700, up to 2100 for contexts above 512 tokens, 2100 for values from lists; with --from: ${CONTINUED_BASE.steps}; with --nano: ${NANO.steps}; with --size: ${recipeOf("small").steps})`,
      ),
    )
    .option(
      "--learning-rate <rate>",
      `peak of the learning rate, with --nano or --size (default: ${NANO.peakLearningRate}; with --size and --from: ${recipeOf("small").continuedLearningRate})`,
      aboveZero,
    )
    .addOption(outOption("folder for the model (default: its folder in --bases)"))
    .addOption(runOption(".waggle/pretrain"))
    .addOption(mustResumeOption())
    .addOption(noResumeOption())
    .addOption(seedOption("seed of data and initial weights", SEEDS))
    .addOption(baseTasksOption())
    .option(
      "--mistakes <rate>",
      "error rate of the demonstrations, without --nano, --size and --from (default: 0.1, or 0 for values from lists; built-in environments: 0.35)",
      fraction,
    )
    .option(
      "--habits <share>",
      "share of demonstrations that always err in the same way, so that greedy decoding errs too, without --nano, --size and --from (default: 0.85 in every second pattern; 0 for values from lists and in built-in environments)",
      fraction,
    )
    .option(
      "--report <file>",
      "with --nano or --size: file for the training curve and evaluation, as JSON",
    )
    .addOption(saveEveryOption(100))
    .addOption(tensorboardOption())
    .addOption(jsonOption())
    .action(async ({ env, nano, size, seed, ...given }: Flags, command: Command) => {
      const spec = await environmentFrom(env);
      if (nano === true || size !== undefined) {
        const {
          steps = recipeOf(size).steps,
          learningRate = given.from === undefined
            ? undefined
            : recipeOf(size).continuedLearningRate,
          out = join(given.bases, `${spec.name}-${size ?? "nano"}`),
          report = null,
        } = given;
        const options = {
          ...given,
          spec,
          size,
          source: env,
          seed,
          steps,
          learningRate,
          out,
          report,
        };
        process.exitCode = await runPretraining(options, signal);
        return;
      }
      if (given.learningRate !== undefined) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          "error: --learning-rate belongs to --nano and --size; leave it out, or add one of them",
        );
      }
      const isChosen = command.getOptionValueSource("seed") === "cli";
      const chosen = { ...given, spec, seed: isChosen ? seed : undefined };
      await trainEnvironmentBase(chosen, { out: writeOut, error: writeError }, signal);
    });
}
