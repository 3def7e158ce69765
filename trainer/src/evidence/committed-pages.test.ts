/** The committed pages match the committed runs: generating them again gives the same files. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mean } from "@waggle/evaluation";
import { expect, test } from "vitest";
import { openControlLog } from "./control-log.ts";
import { pageName, readExpectations } from "./expectations.ts";
import { openRunLog } from "./run-log.ts";
import { hasLearned } from "./recipe-page.ts";
import { tableSummaries, writeReport } from "./write-report.ts";

const FOLDER = join(import.meta.dirname, "../../../docs/evidence/learning");

test("every page and picture is generated from the runs", async () => {
  const again = await mkdtemp(join(tmpdir(), "waggle-pages-"));
  try {
    const expectations = await readExpectations(join(FOLDER, "expectations.json"));
    const controls = await openControlLog(join(FOLDER, "controls.jsonl"));
    const runs = await openRunLog(join(FOLDER, "runs.jsonl"));
    await writeReport(again, expectations, runs, controls);
    const written = await readdir(again);
    expect(written.length).toBeGreaterThan(60);
    const differing: string[] = [];
    for (const file of written) {
      const [now, committed] = await Promise.all(
        [again, FOLDER].map((folder) => readFile(join(folder, file), "utf8").catch(() => null)),
      );
      if (now !== committed) differing.push(file);
    }
    expect(differing).toEqual([]);
    const pages = (await readdir(FOLDER)).filter((file) => /\.(md|svg)$/.test(file));
    expect(pages.toSorted()).toEqual(written.toSorted());
  } finally {
    await rm(again, { recursive: true });
  }
});

/** CPU time limit of a run on two cores. */
const MOST_SECONDS = 180;

test("no run behind the pages took more than three minutes", async () => {
  const { records } = await openRunLog(join(FOLDER, "runs.jsonl"));
  const runs = [...records.values()];
  expect(runs.length).toBeGreaterThan(300);
  // CPU time over all threads. Wall-clock time would include time in which other processes had the
  // machine.
  const long = runs.filter(({ spent }) => spent.cpuSeconds > MOST_SECONDS);
  expect(long.map(({ key }) => key)).toEqual([]);
  const byRecipe = Map.groupBy(runs, ({ recipe, environment }) => `${recipe} ${environment}`);
  const slow = [...byRecipe].filter(
    ([, ofRecipe]) => mean(ofRecipe.map(({ spent }) => spent.seconds)) > MOST_SECONDS,
  );
  expect(slow.map(([name]) => name)).toEqual([]);
});

async function committed() {
  const expectations = await readExpectations(join(FOLDER, "expectations.json"));
  const controls = await openControlLog(join(FOLDER, "controls.jsonl"));
  const runs = await openRunLog(join(FOLDER, "runs.jsonl"));
  const summaries = tableSummaries(expectations, runs, controls);
  return { expectations, controls, runs: [...runs.records.values()], summaries };
}

test("every base leaves room: at its best temperature it solves 20 to 60 % of the tasks", async () => {
  const { summaries } = await committed();
  const bases = new Map(
    summaries.map(({ environment, control }) => [environment, control?.success.mean ?? Number.NaN]),
  );
  expect(bases.size).toBeGreaterThanOrEqual(LEARNED.environments);
  const outside = [...bases].filter(([, success]) => !(success >= 0.2 && success <= 0.6));
  expect(outside.map(([environment]) => environment)).toEqual([]);
});

test("all runs and controls of an environment started from the same base", async () => {
  const { runs, controls } = await committed();
  const bases = Map.groupBy([...runs, ...controls.all], ({ environment }) => environment);
  const mixed = [...bases].filter(
    ([, started]) => new Set(started.map(({ baseModel }) => baseModel)).size > 1,
  );
  expect(mixed.map(([environment]) => environment)).toEqual([]);
});

test("every counted recipe whose loss has a clip clipped some tokens", async () => {
  const { summaries } = await committed();
  const clipped = summaries.flatMap(({ recipe, runs, learned }) => {
    const shares = runs.flatMap(({ clipFraction }) => clipFraction ?? []);
    return learned === null || shares.length === 0 ? [] : [{ recipe, share: mean(shares) }];
  });
  expect(clipped.length).toBeGreaterThan(30);
  expect(clipped.filter(({ share }) => !(share > 0))).toEqual([]);
});

/** Reached with the committed runs; both may only rise. */
const LEARNED = { recipes: 58, environments: 8 };

test(`at least ${LEARNED.recipes} recipes learned, in ${LEARNED.environments} environments`, async () => {
  const { expectations, summaries } = await committed();
  // Plain GRPO runs in each environment, and counts once.
  const learned = summaries.filter(
    (summary) => hasLearned(summary) && pageName(expectations, summary) === summary.recipe,
  );
  expect(learned.length).toBeGreaterThanOrEqual(LEARNED.recipes);
  const environments = new Set(learned.map(({ environment }) => environment));
  expect(environments.size).toBeGreaterThanOrEqual(LEARNED.environments);
});
