import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { initializeAdapter } from "@waggle/model";
import { expect, onTestFinished, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { createOnnxEngine, openOnnxBase } from "./onnx/onnx-engine.ts";
import { sharedBaseContract } from "./contract/shared-base.contract.ts";
import { openSharedBase } from "./shared-base.ts";
import type { BaseMemory } from "./shared-base-memory.fixture.ts";
import { createTfjsEngine } from "./tfjs/tfjs-engine.ts";
import {
  codeOf,
  loudAdapter,
  loudValueHead,
  loudWeights,
  TINY,
} from "./contract/train-engine.fixture.ts";

const shared = { config: TINY, weights: loudWeights(TINY) };

for (const checkpointing of ["none", "layer"] as const) {
  const options = { ...shared, checkpointing, device: "cpu", threads: 1 } as const;
  sharedBaseContract({
    name: `a base on ONNX, checkpointing ${checkpointing},`,
    open: () => openOnnxBase(options),
    createAlone: ({ adapter }) => createOnnxEngine({ ...options, trains: "lora", adapter }),
    alpha: 6,
  });
}

sharedBaseContract({
  name: "a base on TensorFlow.js",
  open: () => openSharedBase({ ...shared, device: "reference-wasm" }),
  createAlone: ({ adapter }) =>
    createTfjsEngine({ ...shared, device: "wasm", trains: "lora", adapter }),
  alpha: 6,
});

test("models over one base can each have value heads", async () => {
  const base = await openSharedBase({ ...shared, device: "cpu", threads: 1 });
  onTestFinished(() => base.dispose());
  const adapter = loudAdapter(TINY);
  const critic = await base.createModel("critic", { adapter, valueHead: loudValueHead(TINY) });
  const policy = await base.createModel("policy", { adapter });
  const batch = { sequences: [{ tokenIds: [4, 5, 6] }], values: true };
  expect((await critic.forward(batch)).values?.[0]?.length).toBe(6);
  expect(await codeOf(policy.forward(batch))).toBe("CAPABILITY_MISSING");
  expect([...(await policy.parameters()).keys()]).toEqual([...adapter.tensors.keys()]);
});

test("a model that does not fit beside the others is refused, and fits after one is unloaded", async () => {
  const options = { ...shared, device: "cpu", threads: 1, memoryLimit: 230e6 } as const;
  const base = await openSharedBase(options);
  onTestFinished(() => base.dispose());
  const adapter = initializeAdapter(TINY, { rank: 300, alpha: 8, seed: 1 });
  const created: string[] = [];
  let refused: unknown = null;
  while (refused === null && created.length < 40) {
    const id = `model ${created.length}`;
    const result = await codeOf(base.createModel(id, { adapter }));
    if (typeof result === "string") refused = result;
    else created.push(id);
  }
  expect(refused).toBe("OUT_OF_MEMORY");
  expect(created.length).toBeGreaterThan(0);
  await base.unloadModel(created[0] as string);
  await base.createModel("after", { adapter });
});

test.for(["none", "layer"] as const)(
  "eight models share the memory of one base, checkpointing %s",
  async (checkpointing, context) => {
    skipOutside(checkpointing === "layer", context);
    const fixture = join(import.meta.dirname, "shared-base-memory.fixture.ts");
    const flags = ["--conditions=source", "--expose-gc", fixture, checkpointing];
    const { stdout } = await promisify(execFile)(process.execPath, flags);
    const memory = JSON.parse(stdout) as BaseMemory;
    // adapter, two moments, and buffers that one step leaves for the next
    expect(memory.arraysOfSeven).toBeLessThan(7 * 5 * memory.adapter);
    expect(memory.arraysOfSeven).toBeLessThan(memory.base);
    // Seven separate bases would take seven times as much in weights alone. Allocators keep pages of
    // freed gradients: 1.2 to 5 times the base in observed runs.
    expect(memory.residentOfSeven).toBeLessThan(7 * memory.base);
    // control: separate bases are detected
    expect(memory.arraysOfTwoAlone).toBeGreaterThan(1.9 * memory.base);
  },
);
