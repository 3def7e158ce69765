/** Over a quantized base, training and sampling keep no other copy of the weights. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  decoderConfigJson,
  initializeDecoder,
  parameterCount,
  safetensorsHeaderBytes,
  type TensorDescription,
} from "@waggle/model";
import { expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import type { HeldMemory } from "./held-weights.fixture.ts";
import { samplerBytes } from "./sampler-memory.ts";
import { TINY } from "../edge-training/training.fixture.ts";

const NANO = join(import.meta.dirname, "../../../packages/model/nano");

/** 12.6 M parameters, nearly all in the layers' matrices. */
const CONFIG = {
  ...TINY,
  vocabularySize: 512,
  width: 384,
  layers: 6,
  heads: 6,
  keyValueHeads: 6,
  headSize: 64,
  feedForwardSize: 1280,
};
const WEIGHTS = 4 * parameterCount(CONFIG);
const INT8 = (WEIGHTS / 4) * (1 + 2 / 32);

/** All weights are zero, in a sparse file. */
async function folderOfZeros(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-held-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const described = new Map<string, TensorDescription>();
  for (const [name, { shape }] of initializeDecoder(CONFIG, 1)) {
    described.set(name, { dtype: "F32", shape });
  }
  const header = safetensorsHeaderBytes(described);
  const path = join(folder, "model.safetensors");
  await writeFile(path, header);
  await truncate(path, header.length + WEIGHTS);
  await writeFile(join(folder, "config.json"), JSON.stringify(decoderConfigJson(CONFIG)));
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
    await cp(join(NANO, name), join(folder, name));
  }
  return folder;
}

async function held(folder: string, how: "opened" | "loaded"): Promise<HeldMemory> {
  const fixture = join(import.meta.dirname, "held-weights.fixture.ts");
  const flags = ["--conditions=source", "--expose-gc"];
  const run = promisify(execFile)(process.execPath, [...flags, fixture, folder, how]);
  return JSON.parse((await run).stdout.trim().split("\n").at(-1) ?? "") as HeldMemory;
}

// Under `npm test`, memory-plan.test.ts of the engine compares the peak over an int8 base with the plan.
test.runIf(isLong())(
  "an int8 base is the only copy beside the sampler's graph; a float32 copy would be detected",
  async () => {
    const folder = await folderOfZeros();
    const [opened, loaded] = await Promise.all([held(folder, "opened"), held(folder, "loaded")]);
    // Array buffers: the base and the needs of a step, but no float32 copy.
    expect(opened.arrays).toBeGreaterThan(INT8);
    expect(opened.arrays).toBeLessThan(WEIGHTS);
    // The control: the model, its quantized weights and a graph's constants.
    expect(loaded.arrays).toBeGreaterThan(2 * WEIGHTS);
    // The process: as planned, plus the needs of Node and ONNX Runtime.
    const planned = INT8 + samplerBytes(CONFIG, "int8") + 140e6;
    expect(opened.peak).toBeLessThan(planned);
    expect(loaded.peak).toBeGreaterThan(planned);
  },
);
