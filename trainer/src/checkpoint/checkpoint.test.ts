import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineCheckpoint } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type Checkpoint, type CheckpointKind, openCheckpoints } from "./checkpoint.ts";

type Values = { readonly [name: string]: unknown } | null;
const KIND: CheckpointKind<{ readonly count: number }, Values> = {
  name: "train",
  state: z.strictObject({ count: z.int() }),
  startOver: "with --no-resume",
};

function engineAt(step: number): EngineCheckpoint {
  const data = Float32Array.from([step, Math.PI, -0]);
  return { step, tensors: new Map([["w", { shape: [3], data }]]) };
}

function checkpointAt(step: number, values: Values = null) {
  const engines = new Map([["policy", engineAt(step)] as const, ["judge", engineAt(9)]]);
  return { settings: { seed: 7 }, step, engines, state: { count: 3 }, values };
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-checkpoint-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function opened(folder: string, kind = KIND) {
  return openCheckpoints(folder, kind);
}

test("another process reads engines, settings, counters and values back exactly", async () => {
  const folder = await temporaryFolder();
  const shared = { reward: -0, mean: Number.NaN };
  const values = {
    stored: [shared],
    buffer: new Map([["newest", shared]]),
    snapshot: Float32Array.from([1e-40, Number.POSITIVE_INFINITY]),
    limit: undefined,
  };
  await opened(folder).commit(checkpointAt(4, values));
  const read = (await opened(folder).load()) as Checkpoint<unknown, typeof values>;
  expect(read).toEqual(checkpointAt(4, values));
  expect(read.values.buffer.get("newest")).toBe(read.values.stored[0]);
});

test("a folder keeps only the files of the last commit, and none after it is cleared", async () => {
  const folder = await temporaryFolder();
  const checkpoints = opened(folder);
  for (let step = 0; step < 3; step += 1) await checkpoints.commit(checkpointAt(step, { step }));
  const names = (await readdir(folder)).map((name) => name.replace(/-.*\./, "."));
  expect(names.toSorted()).toEqual([
    "engine.safetensors",
    "engine.safetensors",
    "state.json",
    "values.bin",
  ]);
  await checkpoints.clear();
  expect(await readdir(folder)).toEqual([]);
  expect(await opened(folder).load()).toBeNull();
});

test.each(["state.json", "engine", "values"])("a changed byte of %s is noticed", async (which) => {
  const folder = await temporaryFolder();
  await opened(folder).commit(checkpointAt(4, { text: "stored" }));
  const name = (await readdir(folder)).find((file) => file.startsWith(which)) as string;
  const bytes = await readFile(join(folder, name));
  const at = which === "state.json" ? bytes.indexOf('"count":3') + 8 : bytes.length - 1;
  bytes[at] = (bytes[at] as number) ^ 1;
  await writeFile(join(folder, name), bytes);
  await expect(opened(folder).load()).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
});

test("a missing part is refused", async () => {
  const folder = await temporaryFolder();
  await opened(folder).commit(checkpointAt(4, { text: "stored" }));
  for (const name of await readdir(folder)) {
    if (name.startsWith("values")) await rm(join(folder, name));
  }
  await expect(opened(folder).load()).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
});

test("a checkpoint of another loop or of a later release is refused by name", async () => {
  const folder = await temporaryFolder();
  await opened(folder).commit(checkpointAt(4));
  await expect(opened(folder, { ...KIND, name: "imitate" }).load()).rejects.toThrow(
    /belongs to train, not to imitate/,
  );
  const path = join(folder, "state.json");
  const later = (await readFile(path, "utf8")).replace('"formatVersion":3', '"formatVersion":4');
  await writeFile(path, later);
  await expect(opened(folder).load()).rejects.toMatchObject({
    code: "SCHEMA_VERSION_UNSUPPORTED",
  });
});

test("the file of an earlier release is read until the first commit replaces it", async () => {
  const folder = await temporaryFolder();
  const read = () => checkpointAt(2);
  const kind = { ...KIND, earlier: { file: "checkpoint.bin", read } };
  await writeFile(join(folder, "checkpoint.bin"), "earlier");
  expect((await opened(folder, kind).load())?.step).toBe(2);
  await opened(folder, kind).commit(checkpointAt(3));
  expect(await readdir(folder)).not.toContain("checkpoint.bin");
  expect((await opened(folder, kind).load())?.step).toBe(3);
});
