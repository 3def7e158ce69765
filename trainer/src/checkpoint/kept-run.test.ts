/** A killed run resumes from its last save and ends like one that was never interrupted. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environmentNamed } from "@waggle/environments";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../pretrain/environment-base.ts";
import { RunSpending } from "../loop/run-spending.ts";
import { openRunFolder } from "../loop/run-folder.ts";
import type { SavedRun } from "../loop/run-keeping.ts";

/** Several stages with stored state; a plain policy gradient; several rounds. */
const RECIPES = ["spear", "grpo", "a2fm"];
const STEPS = 3;

let folder: string;
let base: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-kept-run-"));
  base = join(folder, "base");
  const small = { ...ENVIRONMENT_BASE, steps: 60, width: 32, layers: 1, mistakes: 0.5 };
  const { signal } = new AbortController();
  await environmentBase(environmentNamed("bandit"), base, small, {
    onProgress: () => {},
    signal,
  });
});
afterAll(() => rm(folder, { recursive: true }));

/** Output lines of the process, which is killed after it has printed `step` that many times. */
function run(recipe: string, name: string, killAfter = Number.POSITIVE_INFINITY) {
  return new Promise<{ lines: string[]; killed: boolean }>((resolve, reject) => {
    const program = join(import.meta.dirname, "kept-run.fixture.ts");
    const given = [program, recipe, base, join(folder, name), String(STEPS)];
    const child = spawn(process.execPath, ["--conditions=source", ...given]);
    let [out, errors] = ["", ""];
    child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
    child.stdout.on("data", (text: Buffer) => {
      out += text.toString();
      if (out.split("\n").filter((line) => line === "step").length >= killAfter) {
        child.kill("SIGKILL");
      }
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      const lines = out.trim().split("\n");
      if (code === 0 || signal === "SIGKILL") resolve({ lines, killed: signal === "SIGKILL" });
      else reject(new Error(`${recipe} ended with ${code}: ${errors}`));
    });
  });
}

for (const recipe of RECIPES.slice(0, sampleSize(1, RECIPES.length))) {
  fault(
    `npm run train: ${recipe} is killed twice and goes on`,
    {
      item: "6.1",
      before: "all steps were lost: a killed run began again at step 0",
      timeoutMs: 300_000,
    },
    async () => {
      const whole = await run(recipe, `${recipe}-whole`);
      const first = await run(recipe, `${recipe}-killed`, 2);
      const second = await run(recipe, `${recipe}-killed`, 1);
      const third = await run(recipe, `${recipe}-killed`);
      expect([first.killed, second.killed, third.killed]).toEqual([true, true, false]);
      // The second process resumed; it did not start over.
      expect(second.lines[0]).toMatch(/^resumed [1-9]/);
      expect(third.lines[0]).toMatch(/^resumed [1-9]/);
      const stepsOf = ({ lines }: typeof whole): number =>
        lines.filter((line) => line === "step").length;
      expect(stepsOf(third)).toBeLessThan(stepsOf(whole));
      expect(whole.lines.at(-1)).toMatch(/^end [0-9a-f]{64}$/);
      expect(third.lines.at(-1)).toBe(whole.lines.at(-1));
      return {
        after: `killed after 2 steps and after 1 more of ${stepsOf(whole)}; the last life took ${stepsOf(third)} steps, and parameters, moments, state and metrics are bit-identical`,
      };
    },
  );
}

const OPTIONS = { resumes: true, every: 1, isStopping: () => false };
const BEGUN: SavedRun = {
  engines: new Map(),
  snapshots: [],
  version: 1,
  tasksDrawn: 0,
  state: {},
  stored: [],
  roleStore: { history: new Map(), checkpoints: new Map() },
  spent: new RunSpending().soFar,
  limit: undefined,
  deployed: null,
  stagesDone: 0,
  stepsDone: 0,
  base: { successes: [true, false], toolCallsMean: 1.5, sampledTokensMean: 20 },
  latest: null,
  inner: null,
  events: [],
};
const settings = { recipe: "grpo", environment: "bandit", seed: 1 };

test("an unfinished run with other settings is refused, and the error names them", async () => {
  const path = join(folder, "other");
  const { keeper } = await openRunFolder({ ...OPTIONS, folder: path, settings });
  expect(keeper.found).toBeNull();
  await keeper.save(BEGUN);
  const again = await openRunFolder({ ...OPTIONS, folder: path, settings });
  expect(again.keeper.found).toEqual(BEGUN);
  const other = { ...OPTIONS, folder: path, settings: { ...settings, seed: 2 } };
  await expect(openRunFolder(other)).rejects.toThrow(/seed was 1 and is now 2.*--no-resume/);
  expect((await openRunFolder({ ...other, resumes: false })).keeper.found).toBeNull();
  await again.finish();
  expect((await openRunFolder(other)).keeper.found).toBeNull();
});

test.each(["state.json", "checkpoint.bin"])("a damaged %s is refused by name", async (file) => {
  const path = join(folder, `damaged-${file}`);
  await mkdir(path);
  await writeFile(join(path, file), "0".repeat(80));
  await expect(openRunFolder({ ...OPTIONS, folder: path, settings })).rejects.toMatchObject({
    code: "CHECKPOINT_CORRUPT",
  });
});
