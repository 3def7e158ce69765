/**
 * A model as an ONNX file in the layout of Transformers.js: `onnx/model.onnx`, with external weight
 * files beyond the protobuf size limit, and config and tokenizer in the parent folder. Building the
 * graph keeps all weights in memory.
 */
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  buildDecoderGraph,
  HUGGINGFACE_INPUTS,
  type DecoderConfig,
  type TensorSource,
} from "@waggle/model";

export type OnnxFolderOptions = {
  readonly dtype: "f32" | "f16" | "int8" | "int4";
  /** Maximum bytes per weight file. */
  readonly shardBytes: number;
  readonly signal: AbortSignal;
  /** Bytes written so far. */
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
};

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
  const graph = await buildDecoderGraph(config, weights, {
    lora: null,
    dtype,
    inputs: HUGGINGFACE_INPUTS,
    external: { fileBytes: shardBytes },
  });
  const files = [{ path: "model.onnx", data: graph.model }, ...graph.externalData];
  const totalBytes = files.reduce((sum, { data }) => sum + data.length, 0);
  let doneBytes = 0;
  for (const { path, data } of files) {
    signal.throwIfAborted();
    await writeFile(join(folder, "onnx", path), data);
    doneBytes += data.length;
    onProgress(doneBytes, totalBytes);
  }
  for (const [name, from] of companions) await copyFile(from, join(folder, name));
}
