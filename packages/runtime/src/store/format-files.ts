/** The small files of a loaded model that the page's own thread reads: how messages become tokens, and the calibration. */
import { CALIBRATION_FILE } from "@waggle/model";
import { openModel } from "./loaded-model.ts";
import type { LoadedModel, OpenModelOptions } from "./loaded-model.ts";

const FORMAT_FILES = [
  "tokenizer.json",
  "tokenizer_config.json",
  "chat_template.jinja",
  "generation_config.json",
  "config.json",
  CALIBRATION_FILE,
];

/** The bytes of those that the model has, by path. */
export async function readFormatFiles(
  model: LoadedModel,
  options: OpenModelOptions = {},
): Promise<ReadonlyMap<string, Uint8Array>> {
  const reader = await openModel(model, options);
  const files = new Map<string, Uint8Array>();
  for (const path of FORMAT_FILES) {
    if (reader.has(path)) files.set(path, await reader.bytes(path));
  }
  return files;
}
