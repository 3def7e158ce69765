/**
 * A model as an ONNX file in the layout of Transformers.js: `onnx/model.onnx`, or a name with the number format, with
 * external weight files beyond the protobuf size limit, and config and tokenizer in the parent folder. Building the
 * graph keeps all weights in memory.
 */
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  buildDecoderGraph,
  HUGGINGFACE_INPUTS,
  type DecoderConfig,
  type TensorSource,
} from "@waggle/model";

export type OnnxFolderOptions = {
  readonly dtype: "f32" | "f16" | "int8" | "int4";
  /** Maximum bytes per weight file. Larger models have their weights in files beside the graph. At most 2 GB. */
  readonly shardBytes: number;
  readonly signal: AbortSignal;
  /** Bytes written so far. */
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
};

/** Transformers.js's names of number formats, and what it adds to the name of the file. */
const NAMES = {
  f32: { dtype: "fp32", suffix: "" },
  f16: { dtype: "fp16", suffix: "_fp16" },
  int8: { dtype: "int8", suffix: "_int8" },
  int4: { dtype: "q4", suffix: "_q4" },
} as const;

/** Writes the folder. */
export async function writeOnnxFolder(
  folder: string,
  config: DecoderConfig,
  weights: TensorSource,
  /** Additional files, by path. */
  companions: ReadonlyMap<string, string>,
  { dtype, shardBytes, signal, onProgress }: OnnxFolderOptions,
): Promise<void> {
  await mkdir(join(folder, "onnx"));
  const name = NAMES[dtype];
  const modelFile = `model${name.suffix}.onnx`;
  const graph = await buildDecoderGraph(config, weights, {
    lora: null,
    dtype,
    inputs: HUGGINGFACE_INPUTS,
    external: { threshold: shardBytes, fileBytes: shardBytes, modelFile },
  });
  const files = [{ path: modelFile, data: graph.model }, ...graph.externalData];
  const totalBytes = files.reduce((sum, { data }) => sum + data.length, 0);
  let doneBytes = 0;
  for (const { path, data } of files) {
    signal.throwIfAborted();
    await writeFile(join(folder, "onnx", path), data);
    doneBytes += data.length;
    onProgress(doneBytes, totalBytes);
  }
  for (const [to, from] of companions) await copyFile(from, join(folder, to));
  const path = join(folder, "config.json");
  const json = JSON.parse(await readFile(path, "utf8")) as { readonly [key: string]: unknown };
  const chunks = graph.externalData.length;
  const settings = {
    dtype: name.dtype,
    ...(chunks > 0 && { use_external_data_format: { [modelFile]: chunks } }),
  };
  const described = { ...json, "transformers.js_config": settings };
  await writeFile(path, `${JSON.stringify(described, null, 2)}\n`);
}
