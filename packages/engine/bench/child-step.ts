/** Runs a measured step in a child process, and checks layer-by-layer gradients beforehand. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { initializeAdapter, initializeDecoder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { createOnnxEngine } from "../src/onnx/onnx-engine.ts";
import type { MeasuredStep, MeasuredStepOptions } from "./measured-step.ts";
import { randomBatch } from "./random-decoder.ts";

const PROGRAM = join(import.meta.dirname, "measured-step.ts");

/** Measures one training step in a child process, so that peak memory belongs to it alone. */
export async function measureInChild(options: MeasuredStepOptions): Promise<MeasuredStep> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=source",
    PROGRAM,
    JSON.stringify(options),
  ]);
  return JSON.parse(stdout) as MeasuredStep;
}

const SMALL: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 999,
  width: 64,
  layers: 3,
  heads: 4,
  keyValueHeads: 2,
  headSize: 16,
  feedForwardSize: 96,
  ropeTheta: 1_000_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 512,
  ropeScaling: null,
};

/** Whether layer-by-layer gradients match the whole graph's (relative norm ≤ 1e-5) at a small size. */
export async function layersAgree(): Promise<boolean> {
  const weights = initializeDecoder(SMALL, 1);
  const adapter = initializeAdapter(SMALL, { rank: 4, alpha: 8, seed: 2 });
  const batch = randomBatch(SMALL, 3, 40);
  const logProb = batch.sequences.map(({ tokenIds }) => Float32Array.from(tokenIds, Math.sin));
  const gradients = async (checkpointing: "layer" | "none"): Promise<TensorMap> => {
    const engine = await createOnnxEngine({
      config: SMALL,
      weights,
      trains: "lora",
      adapter,
      checkpointing,
      device: "cpu",
      tileLogits: 4096,
    });
    await engine.backward(batch, { logProb });
    const result = await engine.gradients();
    await engine.dispose();
    return result;
  };
  const [whole, layers] = [await gradients("none"), await gradients("layer")];
  let [difference, square] = [0, 0];
  for (const [name, { data }] of whole) {
    data.forEach((value, i) => {
      difference += (value - (layers.get(name)?.data[i] ?? Number.NaN)) ** 2;
      square += value ** 2;
    });
  }
  return Math.sqrt(difference / square) < 1e-5;
}
