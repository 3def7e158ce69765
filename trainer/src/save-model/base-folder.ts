/** A base model's folder, opened without reading its weights. Quantized weights are refused. */
import { type DecoderConfig, parseDecoderConfig, parseStoredFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { type ModelFolder, openModelFolder } from "@waggle/runtime/node";

/** A model folder with its parsed config. */
export type BaseFolder = ModelFolder & { readonly config: DecoderConfig };

/** @throws WaggleError as `openModelFolder`; `MODEL_UNSUPPORTED` for quantized weights. */
export async function openBaseFolder(path: string): Promise<BaseFolder> {
  const folder = await openModelFolder(path);
  const json: unknown = JSON.parse(new TextDecoder().decode(await folder.bytes("config.json")));
  const stored = parseStoredFormat(json);
  if (stored !== null) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `--base has ${stored} weights, but unquantized ones are needed; pass the model that it was converted from`,
    );
  }
  return { ...folder, config: parseDecoderConfig(json) };
}
