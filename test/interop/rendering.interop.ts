/** Prompts turn by turn, with the chat templates and vocabularies of real models. */
import type { Counterpart, Outcome } from "./counterpart.ts";
import { compareModel, MODELS, REFERENCE_VERSION, sourceOf } from "./rendering/compare.ts";
import { realTokenizer } from "./rendering/tokenizers.ts";

async function run(): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const [vocabulary, models] of Map.groupBy(MODELS, (model) => model.vocabulary)) {
    const tokenizer = await realTokenizer(vocabulary, models.map(sourceOf).join(""));
    outcomes.push(...models.map((model) => compareModel(model, tokenizer)));
  }
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failed: outcomes.flatMap(({ failed }) => failed),
    deviations: outcomes.flatMap(({ deviations }) => deviations),
  };
}

const counterpart: Counterpart = {
  name: "chat templates",
  version: `of ${MODELS.length} models, ${REFERENCE_VERSION}`,
  area: "Prompts",
  run,
};

export default counterpart;
