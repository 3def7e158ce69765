/** Writes the README of an environment's base model: what it is, what it learned from, how good it is, its limits. */
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EnvironmentSpec } from "@waggle/environments";
import type { SuccessRate } from "@waggle/evaluation";
import { parameterCount } from "@waggle/model";
import type { ChosenBase, MadeBase } from "./chosen-base.ts";
import type { ContinuedRecipe } from "./continued-base.ts";
import type { EnvironmentBaseRecipe } from "./environment-base.ts";
import { demonstrationsDigest } from "./environment-text.ts";
import type { BaseSuccess, KindSuccess } from "./kind-success.ts";
import { rateCell } from "./model-card.ts";
import { shippedModelTitle } from "../model/shipped-models.ts";

/** How a base does with tools that it has never seen, greedily. */
export type ToolScores = { readonly tool: SuccessRate; readonly arguments: SuccessRate };

/** What was measured on held-out tasks. */
export type BaseMeasures = {
  readonly success: BaseSuccess;
  /** On the tasks whose pattern is not in training; `null` if there are none. */
  readonly unseen: BaseSuccess | null;
  /** `null` if all tasks are of one kind. */
  readonly kinds: KindSuccess | null;
  /** `null` for a base that knows only the tools of its environment. */
  readonly tools: ToolScores | null;
};

/** File name of the card. */
export const BASE_CARD = "README.md";

/**
 * Writes `README.md` into the model's folder.
 *
 * @param recipe - with which the base was made
 * @param from - folder of the model that the base goes on from, if there is one
 */
export async function writeBaseCard(
  folder: string,
  spec: EnvironmentSpec,
  { recipe, model: { config }, from }: MadeBase & Pick<ChosenBase, "from">,
  { success, unseen, kinds, tools }: BaseMeasures,
): Promise<void> {
  const { contextLength } = config;
  const digest = isContinued(recipe)
    ? recipe.demonstrations
    : await demonstrationsDigest(spec, { ...recipe, contextLength });
  const { size } = await stat(join(folder, "model.safetensors"));
  const count = (value: number): string => value.toLocaleString("en");
  const card = `# Base model of ${spec.name}

A decoder of the \`${config.modelType}\` type with ${count(parameterCount(config))} parameters, ${(size / 1e6).toFixed(1)} MB in 32-bit numbers. It acts
in the environment \`${spec.name}\`${errsOnPurpose(spec, recipe) ? " and errs on purpose, so that reinforcement learning has something to improve" : ""}.

## Training

${startText(recipe, from)}

| setting | value |
|---|---|
| steps | ${count(recipe.steps)} |
| demonstrations | ${count(recipe.steps * recipe.batchSize)} |
${isContinued(recipe) ? inventedRow(recipe) : mistakeRows(spec, recipe)}
| vocabulary | ${count(config.vocabularySize)} tokens |
| seed | ${recipe.seed} |
| digest of the first demonstrations | \`${digest}\` |

## Held-out tasks

${count(success.greedy.trials)} tasks that training never used, judged by the environment's verifier; 95 % Wilson intervals.

| sampling | success |
|---|---|
| temperature 1 | ${rateCell(success.sampled)} |
| greedy | ${rateCell(success.greedy)} |
${unseenRows(unseen)}${toolRows(tools)}${kindTable(kinds)}
## Limits

- ${isContinued(recipe) ? "It may do worse than its model outside of this environment." : "It knows only the words and tools of this environment. It cannot talk about anything else."}
- Requests that are worded differently from the environment's own may fail. ${unseen === null ? "The figures above do not cover them." : "The last rows above measure it."}
- A conversation may have at most ${count(contextLength)} tokens.
`;
  await writeFile(join(folder, BASE_CARD), card);
}

function unseenRows(unseen: BaseSuccess | null): string {
  if (unseen === null) return "";
  const wording = `the ${unseen.sampled.trials} tasks whose wording is not in training`;
  return `| ${wording}, temperature 1 | ${rateCell(unseen.sampled)} |
| ${wording}, greedy | ${rateCell(unseen.greedy)} |
`;
}

function kindTable(kinds: KindSuccess | null): string {
  if (kinds === null) return "";
  const rows = Object.entries(kinds).map(
    ([kind, { sampled, greedy }]) =>
      `| ${kind} | ${sampled.trials} | ${rateCell(sampled)} | ${rateCell(greedy)} |\n`,
  );
  return `
| kind of task | tasks | temperature 1 | greedy |
|---|---|---|---|
${rows.join("")}`;
}

function toolRows(tools: ToolScores | null): string {
  if (tools === null) return "";
  const title = `${tools.tool.trials} tasks with tools never seen, greedy`;
  return `| ${title}: right tool | ${rateCell(tools.tool)} |
| ${title}: right arguments | ${rateCell(tools.arguments)} |
`;
}

function isContinued(recipe: MadeBase["recipe"]): recipe is ContinuedRecipe {
  return "from" in recipe;
}

function startText(recipe: MadeBase["recipe"], from: string | undefined): string {
  if (isContinued(recipe)) {
    const title = from === undefined ? null : shippedModelTitle(from);
    const hash = `\`${recipe.from}\``;
    return `It went on from ${title === null ? `the model with the hash ${hash}` : `${title} (hash ${hash})`}.
It learned from the environment's own demonstrations on training tasks, and from tasks with invented tools.`;
  }
  return `It started from random weights and learned only from the environment's own demonstrations on training tasks. It has
read no text of people.`;
}

function inventedRow({ inventedEvery }: ContinuedRecipe): string {
  return `| demonstrations with invented tools | ${percent(1 / inventedEvery)} |`;
}

function mistakeRows({ reading }: EnvironmentSpec, recipe: EnvironmentBaseRecipe): string {
  return `| turns with a mistake | ${percent(reading?.mistakes ?? recipe.mistakes)} |
| demonstrations that always err in the same way | ${habitCell(recipe)} |`;
}

function errsOnPurpose({ reading }: EnvironmentSpec, recipe: MadeBase["recipe"]): boolean {
  if (isContinued(recipe)) return false;
  return (reading?.mistakes ?? recipe.mistakes) > 0 || (recipe.habits ?? 0) > 0;
}

function habitCell({ habits = 0, habitPatterns }: EnvironmentBaseRecipe): string {
  const share = percent(habits);
  return habitPatterns === undefined
    ? share
    : `${share}, in ${percent(habitPatterns)} of the patterns`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
