/**
 * Trainers and pretraining runs that earlier releases saved can be resumed. Their runs of recipes are in
 * `run-migration.test.ts`. The trainers were killed after a step that they had not acknowledged yet.
 */
import { copyFile, cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSafetensors } from "@waggle/model";
import { expect, onTestFinished, test } from "vitest";
import { loadPretraining, savePretraining } from "./pretraining-checkpoint.ts";
import { openTrainerCheckpoints } from "./trainer-checkpoint.ts";

const TESTDATA = join(import.meta.dirname, "testdata");

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-earlier-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type First = {
  readonly state: { readonly [name: string]: unknown };
  readonly engine: string;
  readonly stable: string;
};

test.each(["b2a53fa3", "b2b4bb57"])("the state folder of a trainer of %s", async (release) => {
  const folder = await temporaryFolder();
  await cp(join(TESTDATA, `trainer-state-${release}`), folder, { recursive: true });
  const text = await readFile(join(folder, "state.json"), "utf8");
  const { state, engine, stable } = JSON.parse(text) as First;
  const tensorsOf = async (digest: string) =>
    readSafetensors(await readFile(join(folder, `engine-${digest}.safetensors`))).tensors;
  const expected = [await tensorsOf(engine), await tensorsOf(stable)];

  const found = await openTrainerCheckpoints(folder).load();
  if (found === null) throw new Error("the checkpoint was not found");
  expect({ formatVersion: 1, ...found.state }).toEqual(state);
  expect(found.state).toMatchObject({ step: 4, stableVersion: 1, seed: 7 });
  expect(found.state.acknowledgements).toHaveLength(1);
  expect([found.engine.tensors, found.stable.tensors]).toEqual(expected);
  expect([found.engine.step, found.stable.step]).toEqual([4, 2]);

  await openTrainerCheckpoints(folder).commit(found);
  expect(await openTrainerCheckpoints(folder).load()).toEqual(found);
});

test("the state folder of a trainer of 26696fa9, the release before there were sites", async () => {
  const folder = await temporaryFolder();
  await cp(join(TESTDATA, "trainer-state-26696fa9"), folder, { recursive: true });
  const { state, engines } = JSON.parse(await readFile(join(folder, "state.json"), "utf8")) as {
    readonly state: { readonly [name: string]: unknown };
    readonly engines: { readonly policy: string; readonly stable: string };
  };
  const tensorsOf = async (digest: string) =>
    readSafetensors(await readFile(join(folder, `engine-${digest}.safetensors`))).tensors;

  const found = await openTrainerCheckpoints(folder).load();
  if (found === null) throw new Error("the checkpoint was not found");
  expect(found.state).toMatchObject({ ...state, step: 2, stableVersion: 1, seed: 7 });
  expect(found.state.acknowledgements).toHaveLength(1);
  expect(found.state.publication).toMatchObject({ step: 2, stage: "evaluate" });
  expect(found.engine.tensors).toEqual(await tensorsOf(engines.policy));
  expect(found.stable.tensors).toEqual(await tensorsOf(engines.stable));
});

test("a pretraining run of b2a53fa3", async () => {
  const folder = await temporaryFolder();
  const old = join(TESTDATA, "pretraining-b2a53fa3.safetensors");
  await copyFile(old, join(folder, "checkpoint.safetensors"));
  const { tensors, metadata } = readSafetensors(await readFile(old));

  const found = await loadPretraining(folder);
  expect(found.state).toEqual(JSON.parse(metadata["run_state"] as string));
  expect(found.state).toMatchObject({ seed: 3, totalSteps: 4 });
  expect(found.state.curve).toHaveLength(2);
  expect(found.engine).toEqual({ step: 2, tensors });

  await savePretraining(folder, found);
  expect(await readdir(folder)).not.toContain("checkpoint.safetensors");
  expect(await loadPretraining(folder)).toEqual(found);
});
