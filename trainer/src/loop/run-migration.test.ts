/** Runs saved by earlier releases can be resumed. */
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deserialize } from "node:v8";
import { expect, onTestFinished, test } from "vitest";
import { openRunFolder } from "./run-folder.ts";
import type { SavedRun } from "./run-keeping.ts";

/**
 * Saved by `learn --recipe ro-recomp --env bandit` at commit 482d866, killed in step 9; long lists are
 * cut.
 */
const OLD = join(import.meta.dirname, "../checkpoint/testdata/run-checkpoint-482d866.bin");
/** Saved by `kept-run.fixture.ts` with recipe a2fm and 4 steps at commit b2b4bb57, killed in step 3. */
const NEWER = join(import.meta.dirname, "../checkpoint/testdata/run-checkpoint-b2b4bb57.bin");
const DIGEST_LENGTH = 64;

type Old = { readonly settings: { readonly [name: string]: unknown }; readonly run: SavedRun };

async function opened(
  file = OLD,
): Promise<{ readonly found: SavedRun; readonly old: Old; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-run-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await copyFile(file, join(folder, "checkpoint.bin"));
  const old = deserialize((await readFile(file)).subarray(DIGEST_LENGTH)) as Old;
  const { keeper } = await openRunFolder({
    folder,
    settings: old.settings,
    resumes: true,
    every: 1,
    isStopping: () => false,
  });
  if (keeper.found === null) throw new Error("the checkpoint was not found");
  return { found: keeper.found, old, folder };
}

test("a run of the previous release is read with the names of this one", async () => {
  const { found } = await opened();
  expect(found.stored).toHaveLength(2);
  for (const { record, verification, turns } of found.stored) {
    expect(record.turns).toHaveLength(turns.length);
    expect(typeof verification.reward).toBe("number");
  }
  const buffer = found.state["rest-buffer"] as {
    readonly items: readonly { readonly item: { readonly trajectories: readonly object[] } }[];
  };
  const [kept] = buffer.items[0]?.item.trajectories ?? [];
  expect(kept).toMatchObject({ trajectory: { role: "policy", record: { schemaVersion: 1 } } });
  expect(found.roleStore).toEqual({ history: new Map(), checkpoints: new Map() });
});

test("numbers and tensors of the run do not change", async () => {
  const { found, old } = await opened();
  expect(found.spent).toEqual(old.run.spent);
  expect(found.engines).toEqual(old.run.engines);
  expect([found.stepsDone, found.tasksDrawn]).toEqual([old.run.stepsDone, old.run.tasksDrawn]);
});

test("a run of version 2 is read as it was saved", async () => {
  const { found, old } = await opened(NEWER);
  expect(found).toEqual({ ...old.run, inner: null });
  expect(found.engines.get("policy")?.tensors.size).toBeGreaterThan(0);
});

test.each([OLD, NEWER])("%s is read back unchanged once this release saved it", async (file) => {
  const { found, old, folder } = await opened(file);
  const options = { folder, settings: old.settings, resumes: true, every: 1 };
  const first = await openRunFolder({ ...options, isStopping: () => false });
  await first.keeper.save(found);
  const again = await openRunFolder({ ...options, isStopping: () => false });
  expect(again.keeper.found).toEqual(found);
});

test("a run is found under the name that an earlier release gave it, with settings that came later", async () => {
  const runs = await mkdtemp(join(tmpdir(), "waggle-runs-"));
  onTestFinished(() => rm(runs, { recursive: true, force: true }));
  const { found, old } = await opened();
  const recipe = old.settings["settings"] as { readonly [name: string]: unknown };
  const open = (added: object, defaults: { readonly [name: string]: unknown }, resumes = true) =>
    openRunFolder({
      runs,
      settings: { ...old.settings, settings: { ...recipe, ...added } },
      defaults,
      resumes,
      every: 1,
      isStopping: () => false,
    });
  const first = await open({}, recipe);
  await first.keeper.save(found);
  const later = await open({ epochs: 1 }, { ...recipe, epochs: 1 });
  expect(later.path).toBe(first.path);
  expect(later.keeper.found).toEqual(found);
  // Set to anything else, it is another run.
  const other = await open({ epochs: 2 }, { ...recipe, epochs: 1 });
  expect(other.path).not.toBe(first.path);
  expect(other.keeper.found).toBeNull();
  expect((await open({ epochs: 1 }, { ...recipe, epochs: 1 }, false)).path).not.toBe(first.path);
});
