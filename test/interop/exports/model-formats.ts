/** The chat formats of the sample's models, with their real vocabularies. */
import { type ChatFormat, trainingTemplate } from "@waggle/text";
import { templateOf } from "../rendering/models.ts";
import { tokenizerGroups } from "../rendering/tokenizer-groups.ts";
import { EXPORTED_MODELS, formatOf, MARKED_NANO, NANO, nanoFormat } from "./sample.ts";

/** A model's name and template, and the format of its rows. */
export type ModelFormat = {
  readonly model: {
    readonly name: string;
    readonly source: string;
    readonly bos: string | null | undefined;
    readonly eos: string | null | undefined;
  };
  readonly format: ChatFormat;
};

/** The nano model first. */
export async function* modelFormats(): AsyncIterable<ModelFormat> {
  const nano = nanoFormat();
  const { source, tokens } = nano.own;
  const model = { source, bos: tokens.bos_token, eos: tokens.eos_token };
  yield { model: { ...model, name: NANO }, format: nano };
  // The same rows with the template that TRL's users pass for a loss on assistant turns.
  const marked = trainingTemplate(source) ?? "";
  yield { model: { ...model, name: MARKED_NANO, source: marked }, format: nano };
  for await (const { models, tokenizer } of tokenizerGroups(EXPORTED_MODELS)) {
    for (const one of models) {
      const { name, bos, eos } = one;
      const template = templateOf(one);
      yield {
        model: { name, source: template, bos, eos },
        format: formatOf(one, template, tokenizer),
      };
    }
  }
}
