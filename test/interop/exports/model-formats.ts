/** The chat formats of the sample's models, with their real vocabularies. */
import { type ChatFormat, trainingTemplate } from "@waggle/text";
import { realTokenizer } from "../rendering/tokenizers.ts";
import {
  EXPORTED_MODELS,
  type ExportedModel,
  formatOf,
  MARKED_NANO,
  NANO,
  nanoFormat,
} from "./sample.ts";

/** A template with the tokens that it does not contain itself. */
export function namedTokens({ bos, eos, source }: ExportedModel): string {
  return `{# ${bos} ${eos} #}${source}`;
}

/** The nano model first. */
export async function* modelFormats(): AsyncIterable<{
  readonly model: Omit<ExportedModel, "vocabulary">;
  readonly format: ChatFormat;
}> {
  const nano = nanoFormat();
  const { source, tokens } = nano.own;
  const model = { source, bos: tokens.bos_token, eos: tokens.eos_token };
  yield { model: { ...model, name: NANO }, format: nano };
  // The same rows with the template that TRL's users pass for a loss on assistant turns.
  const marked = trainingTemplate(source) ?? "";
  yield { model: { ...model, name: MARKED_NANO, source: marked }, format: nano };
  for (const [vocabulary, models] of Map.groupBy(EXPORTED_MODELS, (model) => model.vocabulary)) {
    const tokenizer = await realTokenizer(vocabulary, models.map(namedTokens).join(""));
    for (const model of models) yield { model, format: formatOf(model, tokenizer) };
  }
}
