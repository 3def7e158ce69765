import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineCheckpoint } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { openTrainerCheckpoints } from "./trainer-checkpoint.ts";
import { initialState } from "./trainer-state.ts";

const state = initialState({ baseModel: "a".repeat(64), recipe: "grpo", seed: 1 });

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-checkpoint-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function engineAt(step: number): EngineCheckpoint {
  const data = Float32Array.from([step, Math.PI, -0]);
  return { step, tensors: new Map([["w", { shape: [3], data }]]) };
}

test("another process reads a commit back exactly", async () => {
  const folder = await temporaryFolder();
  const checkpoint = { state: { ...state, step: 4 }, engine: engineAt(4), stable: engineAt(2) };
  await openTrainerCheckpoints(folder).commit(checkpoint);
  expect(await openTrainerCheckpoints(folder).load()).toEqual(checkpoint);
});

test("a checkpoint on a server is read back as its location", async () => {
  const folder = await temporaryFolder();
  const at = (step: number) => ({
    step,
    tensors: new Map(),
    location: `tinker://m/weights/${step}`,
  });
  const checkpoint = { state: { ...state, step: 4 }, engine: at(4), stable: at(2) };
  await openTrainerCheckpoints(folder).commit(checkpoint);
  expect(await openTrainerCheckpoints(folder).load()).toEqual(checkpoint);
});

test("keeps only the files of the last commit", async () => {
  const folder = await temporaryFolder();
  const store = openTrainerCheckpoints(folder);
  const stable = engineAt(0);
  for (let step = 0; step < 5; step += 1) {
    await store.commit({ state: { ...state, step }, engine: engineAt(step), stable });
  }
  expect((await readdir(folder)).filter((name) => name.startsWith("engine-"))).toHaveLength(2);
  expect((await openTrainerCheckpoints(folder).load())?.engine.step).toBe(4);
});

test("an empty folder and a cleared one have no checkpoint", async () => {
  const folder = await temporaryFolder();
  const store = openTrainerCheckpoints(folder);
  expect(await store.load()).toBeNull();
  await store.commit({ state, engine: engineAt(1), stable: engineAt(1) });
  await store.clear();
  expect(await store.load()).toBeNull();
});

test("a partial file left by a crash is ignored", async () => {
  const folder = await temporaryFolder();
  await openTrainerCheckpoints(folder).commit({ state, engine: engineAt(1), stable: engineAt(1) });
  await writeFile(join(folder, "state.json.123.tmp"), '{"state":');
  await writeFile(join(folder, `engine-${"0".repeat(64)}.safetensors`), "half");
  expect((await openTrainerCheckpoints(folder).load())?.engine.step).toBe(1);
});

test.each(["state.json", "engine"])("a damaged %s is refused, not repaired", async (which) => {
  const folder = await temporaryFolder();
  await openTrainerCheckpoints(folder).commit({ state, engine: engineAt(1), stable: engineAt(1) });
  const name = (await readdir(folder)).find((file) => file.startsWith(which)) as string;
  const bytes = await readFile(join(folder, name));
  await writeFile(join(folder, name), bytes.subarray(0, bytes.length - 1));
  await expect(openTrainerCheckpoints(folder).load()).rejects.toMatchObject({
    code: "CHECKPOINT_CORRUPT",
  });
});
