/**
 * Options for the tasks of a run: an environment, built in or the user's, or the user's prompt dataset; the
 * reward, and the turn limit.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DEFAULT_TURN_TOKENS } from "@waggle/agent/environments";
import { type EnvironmentSpec, promptEnvironment, withReward } from "@waggle/environments";
import type { Recipe } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { Command } from "commander";
import { environmentFrom } from "../extensions/environment-module.ts";
import { moduleSource } from "../extensions/module-source.ts";
import { promptDatasetFrom } from "../extensions/prompt-dataset.ts";
import { rewardFrom } from "../extensions/reward-module.ts";
import { recipeEnvironment, recipePlace } from "../recipes/recipe-places.ts";
import { requireTurnTokens } from "../rollouts/turn-limit.ts";
import { existingModel, number } from "./option-values.ts";
import { environmentOption } from "./environment-option.ts";
import { modelFolderOption, turnTokensOption } from "./shared-options.ts";

/** Parsed values of the task options. */
export type TaskFlags = {
  readonly env?: string;
  readonly dataset?: string;
  readonly reward?: string;
  readonly visitors?: number;
  readonly turnTokens?: number;
  readonly model?: string;
};

/** Adds the environment, dataset, reward, visitor, model and turn options. */
export function addTaskOptions(command: Command): Command {
  return command
    .addOption(environmentOption("the recipe's own, see --list").conflicts("dataset"))
    .option(
      "--dataset <source>",
      "train on prompts instead of an environment: a .jsonl or .json file, or a file or package that exports rows; needs --model",
    )
    .option(
      "--reward <source>",
      "reward function: a file or package that exports it, such as ./reward.ts#name",
    )
    .option(
      "--visitors <noise>",
      "error rate of simulated visitors' feedback (default: 0.1 for recipes that learn from feedback, otherwise no feedback)",
      number,
    )
    .addOption(
      modelFolderOption(
        "start from this model (a folder, default or nano) instead of the environment's own base model",
      ).argParser(existingModel),
    )
    .addOption(turnTokensOption(String(DEFAULT_TURN_TOKENS)));
}

/** The tasks of a run. */
export type TrainingTasks = {
  readonly spec: EnvironmentSpec;
  /** The environment without the user's reward, for which a base model is made. */
  readonly unrewarded: EnvironmentSpec;
  /** Identifies the tasks: a resumed run must have the same value. */
  readonly settings: { readonly [name: string]: unknown };
};

/**
 * @throws WaggleError `INVALID_ARGUMENT` or `NOT_FOUND` for an invalid environment, dataset or
 *   reward.
 */
export async function trainingTasks(recipe: Recipe, flags: TaskFlags): Promise<TrainingTasks> {
  const { env, dataset, reward, visitors, turnTokens } = flags;
  if (dataset !== undefined && flags.model === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `--dataset ${dataset} needs --model: a dataset has no base model of its own. Name the folder of a model in Hugging Face's layout`,
    );
  }
  const prompts = dataset === undefined ? null : await promptDatasetFrom(dataset);
  const plain =
    prompts === null
      ? await environmentFrom(env ?? recipePlace(recipe).environment)
      : promptEnvironment(prompts.name, prompts.rows);
  let tasks = turnTokens === undefined ? plain : { ...plain, maxTurnTokens: turnTokens };
  if (reward !== undefined) tasks = withReward(tasks, reward, await rewardFrom(reward));
  return {
    unrewarded: recipeEnvironment(recipe, { environment: plain, noise: visitors }),
    spec: recipeEnvironment(recipe, { environment: tasks, noise: visitors }),
    settings: {
      visitors,
      environmentSource: plain.source,
      dataset: prompts?.sha256,
      reward: reward === undefined ? undefined : rewardIdentity(reward),
      turnTokens,
    },
  };
}

/**
 * @throws WaggleError `INVALID_ARGUMENT` if the longest turn, or a prompt of the dataset plus a
 *   turn, exceeds the model's context.
 */
export function requireRoom(
  spec: EnvironmentSpec,
  format: ChatFormat,
  contextLength: number,
): void {
  const turnTokens = spec.maxTurnTokens ?? DEFAULT_TURN_TOKENS;
  requireTurnTokens(turnTokens, contextLength);
  for (const { system, request } of spec.prompts ?? []) {
    const given = format.start({ system, tools: [], userMessage: request });
    const size = given.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
    if (size + turnTokens <= contextLength) continue;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the prompt "${request.slice(0, 60)}" takes ${size} tokens, and a turn ${turnTokens} more; the model's context has ${contextLength}. Leave the prompt out, or set --turn-tokens`,
    );
  }
}

/** Includes a digest of the file: another reward under the same name is another run. */
function rewardIdentity(source: string): string {
  const path = resolve(moduleSource(source).module);
  if (!existsSync(path)) return source;
  const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
  return `${source} ${digest.slice(0, 16)}`;
}
