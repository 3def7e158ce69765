/** A Hugging Face model folder as the trainer needs it: parsed, and as files with their hashes. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  collectModelFiles,
  type DecoderConfig,
  describeModelFolder,
  type ModelFile,
  parseDecoderConfig,
  readModelWeights,
} from "@waggle/model";
import { type BaseModelReference, type TensorMap, WaggleError } from "@waggle/protocol";
import { type ChatFormat, readChatFormat } from "@waggle/text";

export type BaseModel = {
  readonly reference: BaseModelReference;
  readonly files: readonly ModelFile[];
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  readonly format: ChatFormat;
};

/** @throws WaggleError `NOT_FOUND` without the folder, `MODEL_CORRUPT` or `MODEL_UNSUPPORTED`. */
export async function readBaseModel(folder: string): Promise<BaseModel> {
  const present = await readdir(folder).catch((error: unknown) => {
    throw new WaggleError(
      "NOT_FOUND",
      `--model must be a folder with config.json, safetensors and tokenizer.json, got ${folder}; run npm run train-base or name another folder`,
      { cause: error },
    );
  });
  return toBaseModel(
    await collectModelFiles(
      present,
      async (path) => new Uint8Array(await readFile(join(folder, path))),
    ),
  );
}

/** The same from files in memory. */
async function toBaseModel(files: readonly ModelFile[]): Promise<BaseModel> {
  const reference = await describeModelFolder(files);
  const byPath = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const configJson: unknown = JSON.parse(new TextDecoder().decode(byPath.get("config.json")));
  return {
    reference,
    files,
    config: parseDecoderConfig(configJson),
    weights: await readModelWeights(byPath),
    format: readChatFormat(byPath),
  };
}
