/** A default model whose training goes on: its tokenizer, its weights and its hash. */
import { isDeepStrictEqual } from "node:util";
import type { DecoderConfig } from "@waggle/model";
import { type TensorMap, WaggleError } from "@waggle/protocol";
import type { TokenizerConfigJson, TokenizerJson } from "@waggle/text";
import type { ModelSize } from "../checkpoint/pretraining-checkpoint.ts";
import { readBaseModel } from "../model/base-model.ts";
import { type NanoText, openNanoText } from "./nano-text.ts";

export type EarlierModel = {
  /** Content hash. */
  readonly sha256: string;
  readonly config: DecoderConfig;
  readonly text: NanoText;
  readonly weights: TensorMap;
  /** @throws WaggleError `INVALID_ARGUMENT` if the model has not this shape, which is that of `size`. */
  readonly requireShape: (config: DecoderConfig, size: ModelSize | undefined) => void;
};

/** @throws WaggleError as `readBaseModel`. */
export async function earlierModel(folder: string): Promise<EarlierModel> {
  const { reference, config, weights, readFile } = await readBaseModel(folder);
  const json = async (path: string): Promise<unknown> =>
    JSON.parse(new TextDecoder().decode(await readFile(path)));
  const text = openNanoText(
    (await json("tokenizer.json")) as TokenizerJson,
    (await json("tokenizer_config.json")) as TokenizerConfigJson,
  );
  return {
    sha256: reference.sha256,
    config,
    text,
    weights,
    requireShape: (wanted, size) => {
      if (isDeepStrictEqual(config, wanted)) return;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `error: the model in ${folder} is not one that train-base --size ${size} makes; pass the --size that it has, or leave --from out`,
      );
    },
  };
}
