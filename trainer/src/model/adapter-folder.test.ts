import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOnnxEngine } from "@waggle/engine";
import {
  type DecoderConfig,
  initializeAdapter,
  initializeDecoder,
  initializeValueHead,
} from "@waggle/model";
import type { TrainEngine } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { writeOutput } from "../files/output.ts";
import { adapterFolderFiles, adapterOf, readAdapterFolder } from "./adapter-folder.ts";

const CONFIG: DecoderConfig = {
  modelType: "llama",
  vocabularySize: 17,
  width: 8,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headSize: 4,
  feedForwardSize: 12,
  ropeTheta: 1000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 32,
  ropeScaling: null,
};
const SHAPE = { rank: 2, alpha: 4 };

test("a folder stores value heads beside the adapter, and training continues bit for bit", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-adapter-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const first = await open(initializeAdapter(CONFIG, { ...SHAPE, seed: 2 }), valueHeads());
  await learn(first);
  const checkpoint = await first.save();
  const adapter = adapterOf(checkpoint, SHAPE);
  expect([...adapter.tensors.keys()].filter((name) => name.startsWith("score."))).toEqual([]);
  await writeOutput(folder, adapterFolderFiles(adapter, CONFIG, { checkpoint }));
  const read = await readAdapterFolder(folder, CONFIG);
  expect(read.valueHead?.heads).toBe(2);
  const second = await open(read.adapter, read.valueHead!);
  await second.load(read.checkpoint!);
  for (const engine of [first, second]) await learn(engine);
  expect(await second.save()).toEqual(await first.save());
});

test("a folder without value heads reads as having none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-adapter-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const adapter = initializeAdapter(CONFIG, { ...SHAPE, seed: 2 });
  await writeOutput(folder, adapterFolderFiles(adapter, CONFIG));
  expect(await readAdapterFolder(folder, CONFIG)).toMatchObject({
    valueHead: null,
    checkpoint: null,
  });
});

function valueHeads() {
  return initializeValueHead(CONFIG, { heads: 2, seed: 3 });
}

async function open(
  adapter: ReturnType<typeof initializeAdapter>,
  valueHead: ReturnType<typeof valueHeads>,
): Promise<TrainEngine> {
  const weights = initializeDecoder(CONFIG, 1);
  const options = { config: CONFIG, weights, adapter, valueHead, trains: "lora" } as const;
  const engine = await createOnnxEngine({ ...options, device: "cpu", threads: 1 });
  onTestFinished(() => engine.dispose());
  return engine;
}

async function learn(engine: TrainEngine): Promise<void> {
  const tokenIds = [1, 5, 9, 13, 2];
  const logProb = [Float32Array.from(tokenIds, Math.sin)];
  const values = [Float32Array.from({ length: 10 }, (_, i) => Math.cos(i))];
  await engine.backward({ sequences: [{ tokenIds }] }, { logProb, values });
  await engine.optimStep({ learningRate: 0.02 });
}
