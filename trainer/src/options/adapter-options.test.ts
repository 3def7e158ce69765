/** A run saves one PEFT folder per trained adapter, and another run can start from it. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recipeNamed } from "@waggle/learning";
import { expect, onTestFinished, test } from "vitest";
import type { BaseModel } from "../model/base-model.ts";
import { TINY, TINY_BASE, tinyWeights } from "../edge-training/training.fixture.ts";
import { adaptersOf, requireOut, saveAdapters } from "./adapter-options.ts";
import { openRecipeEngines } from "../loop/recipe-engines.ts";
import { movedAdapter } from "../rollouts/tiny-policy.fixture.ts";

const MODEL = {
  config: TINY,
  weights: tinyWeights(),
  reference: { sha256: TINY_BASE },
  files: [],
} as unknown as BaseModel;
const SEQUENCES = [{ tokenIds: [1, 2, 3, 4] }];

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-adapter-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test("adapters are saved with those of the roles, and a run that starts from one gives the same output", async () => {
  const out = join(await temporary(), "out");
  const start = movedAdapter(1);
  const shape = { rank: start.rank, alpha: start.alpha, seed: 1 };
  const open = (more: object) =>
    openRecipeEngines(recipeNamed("memory-r1")(), MODEL, "cpu", shape, { threads: 1, ...more });
  const first = await open({ start });
  await saveAdapters({ out, force: false }, first, shape, TINY);
  expect((await readdir(out)).toSorted()).toEqual([
    "adapter_config.json",
    "adapter_model.safetensors",
    "answerer",
    "manager",
  ]);
  const { start: kept, teacher } = await adaptersOf(
    { adapter: out, teacher: out, force: false },
    TINY,
  );
  expect(teacher).toEqual(kept);
  expect([kept?.rank, kept?.alpha]).toEqual([start.rank, start.alpha]);
  const second = await open({ start: kept });
  const fresh = await open({});
  const says = async ({ engine }: typeof first): Promise<number[]> =>
    (await engine.forward({ sequences: SEQUENCES })).logProb.flatMap((row) => [...row]);
  expect(await says(second)).toEqual(await says(first));
  expect(await says(fresh)).not.toEqual(await says(first));
  for (const { dispose } of [first, second, fresh]) await dispose();
});

test("existing folders are kept, and a recipe that learns only text has no adapter to save", async () => {
  const folder = await temporary();
  const grpo = recipeNamed("grpo")();
  await requireOut({ out: join(folder, "new"), force: false }, grpo);
  await expect(requireOut({ out: import.meta.dirname, force: false }, grpo)).rejects.toThrow(
    /already exists; pass --force/,
  );
  await expect(
    requireOut({ out: join(folder, "new"), force: false }, recipeNamed("adas")()),
  ).rejects.toThrow(/adas learns texts, not weights; save them with --save-text/);
});
