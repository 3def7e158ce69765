/** A Hugging Face model folder as the trainer needs it: parsed, and as files with their hashes. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type DecoderConfig,
  describeModelFolder,
  MODEL_FILES,
  parseDecoderConfig,
  readSafetensors,
} from "@waggle/model";
import { type BaseModelReference, type TensorMap, WaggleError } from "@waggle/protocol";
import { type ChatFormat, createChatFormat, createTokenizer } from "@waggle/text";

export type BaseModelFile = { readonly path: string; readonly bytes: Uint8Array };

export type BaseModel = {
  readonly reference: BaseModelReference;
  readonly files: readonly BaseModelFile[];
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  readonly format: ChatFormat;
};

/** @throws WaggleError `NOT_FOUND` without the folder, `MODEL_CORRUPT` or `MODEL_UNSUPPORTED`. */
export async function readBaseModel(folder: string): Promise<BaseModel> {
  const present = await readdir(folder).catch((error: unknown) => {
    throw new WaggleError(
      "NOT_FOUND",
      `--model must be a folder with ${MODEL_FILES.join(", ")}, got ${folder}; run npm run pretrain or name another folder`,
      { cause: error },
    );
  });
  const files = await Promise.all(
    MODEL_FILES.filter((path) => present.includes(path)).map(async (path) => ({
      path,
      bytes: new Uint8Array(await readFile(join(folder, path))),
    })),
  );
  return toBaseModel(files);
}

/** The same from files in memory. */
export async function toBaseModel(files: readonly BaseModelFile[]): Promise<BaseModel> {
  const reference = await describeModelFolder(files);
  const json = (path: string): unknown => {
    const file = files.find((candidate) => candidate.path === path);
    return file === undefined ? undefined : JSON.parse(new TextDecoder().decode(file.bytes));
  };
  const weightsFile = files.find(({ path }) => path === "model.safetensors") as BaseModelFile;
  const tokenizerConfig = (json("tokenizer_config.json") ?? {}) as {
    readonly [key: string]: unknown;
  };
  const tokenizer = createTokenizer({
    tokenizerJson: json("tokenizer.json") as Parameters<typeof createTokenizer>[0]["tokenizerJson"],
    tokenizerConfig,
  });
  return {
    reference,
    files,
    config: parseDecoderConfig(json("config.json")),
    weights: readSafetensors(weightsFile.bytes).tensors,
    format: createChatFormat({ tokenizer, tokenizerConfig }),
  };
}
