import { initializeValueHead } from "@waggle/model";
import * as tf from "@tensorflow/tfjs";
import { expect, test } from "vitest";
import { readGoldenDecoder } from "../contract/golden-decoder.fixture.ts";
import { createTfjsEngine } from "./tfjs-engine.ts";
import { trainEngineContract } from "../contract/train-engine.contract.ts";

trainEngineContract({
  name: "the TensorFlow.js engine",
  isSampled: true,
  create: (options) => createTfjsEngine({ ...options, device: "wasm" }),
});

test("steps leak no tensors, and dispose frees all of them", async () => {
  const { config, weights, adapter, cases } = readGoldenDecoder("qwen3");
  const before = tf.memory().numTensors;
  const engine = await createTfjsEngine({
    config,
    weights,
    trains: "lora",
    adapter,
    valueHead: initializeValueHead(config, { seed: 1 }),
    device: "wasm",
  });
  const { sequences } = cases.lora;
  const logProb = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(0.1));
  const step = async (): Promise<number> => {
    await engine.forward({ sequences, values: true });
    await engine.backward({ sequences, valuesTrainDecoder: false }, { logProb, values: logProb });
    await engine.optimStep({ learningRate: 0.001 });
    return tf.memory().numTensors;
  };
  const counts = [await step(), await step(), await step()];
  expect(counts).toEqual([counts[0], counts[0], counts[0]]);
  expect(counts[0]).toBeGreaterThan(before);
  await engine.dispose();
  expect(tf.memory().numTensors).toBe(before);
});
