/** Prompts turn by turn, with the chat templates and vocabularies of real models. */
import type { Counterpart, Outcome } from "./counterpart.ts";
import { compareModel } from "./rendering/compare.ts";
import { ADDED_TOKENS, MODELS, REFERENCE_VERSION, sourceOf } from "./rendering/models.ts";
import type { RealModel } from "./rendering/models.ts";
import { differentEncodings, namedTokens, realTokenizer } from "./rendering/tokenizers.ts";

/** Models with the same tokenizer share a key. */
const keyOf = ({ vocabulary, addedTokens }: RealModel): string => `${vocabulary} ${addedTokens}`;

/** What a run found, by model. */
export async function compareModels(): Promise<Map<RealModel, Outcome>> {
  const outcomes = new Map<RealModel, Outcome>();
  for (const models of Map.groupBy(MODELS, keyOf).values()) {
    const [{ vocabulary, addedTokens }] = models as [RealModel];
    const isOwn = addedTokens !== undefined;
    const added = isOwn
      ? ADDED_TOKENS[addedTokens]
      : await namedTokens(vocabulary, models.map(sourceOf).join(""));
    const tokenizer = await realTokenizer(vocabulary, added ?? {});
    const wrong = isOwn ? differentEncodings(vocabulary, tokenizer) : [];
    for (const model of models) {
      const outcome = compareModel(model, tokenizer);
      outcomes.set(model, { ...outcome, failed: [...wrong, ...outcome.failed] });
    }
  }
  return outcomes;
}

async function run(): Promise<Outcome> {
  const outcomes = [...(await compareModels()).values()];
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failed: outcomes.flatMap(({ failed }) => failed),
    deviations: outcomes.flatMap(({ deviations }) => deviations),
  };
}

const pairs = MODELS.filter(({ addedTokens }) => addedTokens !== undefined).length;

const counterpart: Counterpart = {
  name: "chat templates",
  version: `of ${MODELS.length} models, ${pairs} with their own tokenizers, ${REFERENCE_VERSION}`,
  area: "Prompts",
  run,
};

export default counterpart;
