/** The committed pages match the committed runs: generating them again gives the same files. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mean } from "@waggle/evaluation";
import { expect, test } from "vitest";
import { openControlLog } from "./control-log.ts";
import { readExpectations } from "./expectations.ts";
import { openRunLog } from "./run-log.ts";
import { writeReport } from "./write-report.ts";

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
