/** A model of `train-base` whose training goes on: its tokenizer, its weights and its hash. */
import { isDeepStrictEqual } from "node:util";
import type { DecoderConfig } from "@waggle/model";
import { type TensorMap, WaggleError } from "@waggle/protocol";
import {
  DESCRIBED_TOOLS_TEMPLATE,
  NANO_CHAT_TEMPLATE,
  type TokenizerConfigJson,
  type TokenizerJson,
} from "@waggle/text";
import type { ModelSize } from "../checkpoint/pretraining-checkpoint.ts";
import { loaded, openBaseModel } from "../model/base-model.ts";
import { type NanoText, openNanoText } from "./nano-text.ts";

export type EarlierModel = {
  /** Content hash. */
  readonly sha256: string;
  readonly config: DecoderConfig;
  readonly text: NanoText;
  /** Reads the weights. */
  readonly weights: () => Promise<TensorMap>;
  /** @throws WaggleError `INVALID_ARGUMENT` if the model has not this shape, which is that of `size`. */
  readonly requireShape: (config: DecoderConfig, size: ModelSize | undefined) => void;
};

/** The templates of the models that `train-base` makes. */
const TEMPLATES: ReadonlySet<unknown> = new Set([NANO_CHAT_TEMPLATE, DESCRIBED_TOOLS_TEMPLATE]);

/**
 * Opens the model in a folder.
 *
 * @throws WaggleError as `readBaseModel`, and `MODEL_UNSUPPORTED` for a model that `train-base` did not make.
 */
export async function earlierModel(folder: string): Promise<EarlierModel> {
  const opened = await openBaseModel(folder);
  const { reference, config, openFile } = opened;
  const json = async (path: string): Promise<unknown> => {
    const file = openFile(path);
    return JSON.parse(new TextDecoder().decode(await file.read(0, file.sizeBytes)));
  };
  const tokenizerConfig = (await json("tokenizer_config.json")) as TokenizerConfigJson;
  if (!TEMPLATES.has(tokenizerConfig.chat_template)) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `the chat template of the model in ${folder} is not one of train-base; choose a model that train-base made, such as default`,
    );
  }
  const text = openNanoText((await json("tokenizer.json")) as TokenizerJson, tokenizerConfig);
  return {
    sha256: reference.sha256,
    config,
    text,
    weights: async () => (await loaded(opened)).weights,
    requireShape: (wanted, size) => {
      if (isDeepStrictEqual(config, wanted)) return;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `error: the model in ${folder} is not one that train-base --size ${size} makes; pass the --size that it has, or leave --from out`,
      );
    },
  };
}
