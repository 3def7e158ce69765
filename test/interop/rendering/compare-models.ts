/** Compares the prompts of several models, with one tokenizer for those that share it. */
import type { Outcome } from "../counterpart.ts";
import { compareModel } from "./compare.ts";
import { ADDED_TOKENS, sourceOf } from "./models.ts";
import type { RealModel } from "./models.ts";
import { differentEncodings, namedTokens, realTokenizer } from "./tokenizers.ts";

export async function compareModels(models: readonly RealModel[]): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  const keyOf = ({ vocabulary, addedTokens }: RealModel) => `${vocabulary} ${addedTokens}`;
  for (const group of Map.groupBy(models, keyOf).values()) {
    const [{ vocabulary, addedTokens }] = group as [RealModel];
    const added =
      addedTokens === undefined
        ? await namedTokens(vocabulary, group.map(sourceOf).join(""))
        : (ADDED_TOKENS[addedTokens] ?? {});
    const tokenizer = await realTokenizer(vocabulary, added);
    if (addedTokens !== undefined) {
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
