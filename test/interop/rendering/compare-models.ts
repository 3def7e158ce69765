/** Compares the prompts of several models, with one tokenizer for those that share it. */
import type { Outcome } from "../counterpart.ts";
import { compareModel } from "./compare.ts";
import type { RealModel } from "./models.ts";
import { tokenizerGroups } from "./tokenizer-groups.ts";
import { differentEncodings } from "./tokenizers.ts";

export async function compareModels(models: readonly RealModel[]): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for await (const { models: group, vocabulary, isOwn, tokenizer } of tokenizerGroups(models)) {
    if (isOwn) {
      const failed = differentEncodings(vocabulary, tokenizer);
      outcomes.push({ passed: 0, failed, deviations: [] });
    }
    outcomes.push(...group.map((model) => compareModel(model, tokenizer)));
  }
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failed: outcomes.flatMap(({ failed }) => failed),
    deviations: outcomes.flatMap(({ deviations }) => deviations),
  };
}
