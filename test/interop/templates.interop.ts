/** Prompts turn by turn, with chat templates of real models whose tokenizers no package brings. */
import type { Counterpart } from "./counterpart.ts";
import { compareModels } from "./rendering/compare-models.ts";
import { MODELS, REFERENCE_VERSION } from "./rendering/models.ts";

const models = MODELS.filter(({ addedTokens }) => addedTokens === undefined);

const counterpart: Counterpart = {
  name: `${models.length} more chat templates`,
  version: REFERENCE_VERSION,
  about: `Models: ${models.map(({ name }) => name).join(", ")}. The vocabulary is another model's. The cases are the same.`,
  area: "Prompts",
  run: () => compareModels(models),
};

export default counterpart;
