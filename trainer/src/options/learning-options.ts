/**
 * Options of commands that train with an edge recipe: the model, the engine, the recipe and its
 * optimizer.
 */
import type { Precision } from "@waggle/engine";
import type { Settings } from "@waggle/learning";
import type { ResidentFormat } from "@waggle/model";
import type { Command } from "commander";
import type { Device } from "../model/device.ts";
import { DEFAULT_EDGE_RECIPE, type EdgeRecipe, edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { number, positive } from "./option-values.ts";
import {
  learningRateOf,
  optimizerOf,
  type ScheduleOptions,
  withSchedule,
} from "./schedule-options.ts";
import { deviceOption, type ServerOptions, withServer } from "./server-options.ts";
import {
  alphaOption,
  baseOption,
  epochsOption,
  evaluationTasksOption,
  jsonOption,
  listOption,
  memoryLimitOption,
  microbatchTokensOption,
  modelOption,
  precisionOption,
  rankOption,
  recipeOption,
  seedOption,
  settingOption,
  threadsOption,
  freeToolCallsOption,
  turnTokensOption,
} from "./shared-options.ts";

/** The default turn limit of pages, as `--help` shows it. */
export const PAGE_TURN = "as in a page: a quarter of the context, from 128 to 512";

/** Cost no significant success in docs/evidence/studies/kl-term.md. A larger one holds more, and may cost some. */
const KL_COEFFICIENT = 0.1;

/** Defaults of all recipes but evolution strategies, which have both as settings. */
const GROUPS_PER_STEP = 8;
const LEARNING_RATE = 2e-3;
const PEAK = `${LEARNING_RATE}; evolution-strategies: its setting learningRate`;

/** Parsed values of every option of a command that learns. */
export type LearningOptions = ServerOptions &
  Omit<ScheduleOptions, "learningRate"> & {
    learningRate?: number;
    model: string;
    device: Device;
    base: ResidentFormat;
    precision: Precision;
    threads?: number;
    memoryLimit?: number;
    recipe: string;
    list: boolean;
    set: Settings;
    groupsPerStep?: number;
    epochs: number;
    microbatchTokens: number;
    entropyCoefficient: number;
    klCoefficient: number;
    rank: number;
    alpha?: number;
    seed: number;
    turnTokens?: number;
    constrainToolCalls: boolean;
    evaluationTasks: number;
    publishEvery: number;
    shuffleAdvantages: boolean;
    json: boolean;
  };

function withModel(command: Command): Command {
  return command
    .addOption(modelOption())
    .addOption(deviceOption())
    .addOption(threadsOption())
    .addOption(memoryLimitOption());
}

function withNumbers(command: Command): Command {
  return command.addOption(baseOption()).addOption(precisionOption());
}

/** Adds every option of a command that learns. */
export function withLearning(command: Command): Command {
  return withSchedule(withServer(withNumbers(withModel(command))), PEAK)
    .addOption(recipeOption("recipe from --list", DEFAULT_EDGE_RECIPE))
    .addOption(settingOption())
    .addOption(listOption("list recipes that can train from an edge, and why the others cannot"))
    .option(
      "--groups-per-step <n>",
      `groups with a reward signal per step (default: ${GROUPS_PER_STEP}; evolution-strategies: its setting tasks)`,
      positive,
    )
    .addOption(epochsOption("optimizer steps per minibatch", 1))
    .addOption(microbatchTokensOption(4096))
    .option("--entropy-coefficient <c>", "weight of the entropy bonus", number, 0)
    .option(
      "--kl-coefficient <c>",
      "weight of the KL to the base model; 0 = none",
      number,
      KL_COEFFICIENT,
    )
    .addOption(rankOption(16))
    .addOption(alphaOption())
    .addOption(seedOption())
    .addOption(turnTokensOption(PAGE_TURN))
    .addOption(freeToolCallsOption())
    .addOption(evaluationTasksOption())
    .option("--publish-every <n>", "learning steps between published versions", positive, 4)
    .option(
      "--shuffle-advantages",
      "control: shuffle the advantages or labels; the policy must not improve",
      false,
    )
    .addOption(jsonOption());
}

/** The recipe that the options select. @param lastStep - last step of the run, if it has one */
export function recipeOf(given: LearningOptions, lastStep: number): EdgeRecipe {
  const { recipe, set: own, groupsPerStep, learningRate, epochs, entropyCoefficient } = given;
  const { evolution, settings } = edgeRecipeNamed(recipe, { own }).stage;
  const isFromRewards = evolution !== null;
  const peak = learningRate ?? (isFromRewards ? settings.learningRate : LEARNING_RATE);
  return edgeRecipeNamed(recipe, {
    own,
    groupsPerStep: groupsPerStep ?? (isFromRewards ? undefined : GROUPS_PER_STEP),
    epochs,
    learningRate: learningRateOf({ ...given, learningRate: peak }, lastStep),
    optimizer: optimizerOf(given),
    entropyCoefficient,
    // Rewards have no tokens to compute it from.
    klCoefficient: isFromRewards ? 0 : given.klCoefficient,
  });
}
