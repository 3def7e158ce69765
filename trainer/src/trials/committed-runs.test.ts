/** The committed trial pages match their committed runs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openControlLog } from "../evidence/control-log.ts";
import { staleness } from "./staleness.ts";
import { thumbs } from "./thumbs.ts";
import { withResults } from "./trial-page.ts";
import { type Trial, type TrialRun, verdicts } from "./trial.ts";

const EVIDENCE = join(import.meta.dirname, "../../../docs/evidence");

function committed(trial: Trial): { readonly page: string; readonly runs: readonly TrialRun[] } {
  const lines = readFileSync(join(EVIDENCE, `${trial.name}-runs.jsonl`), "utf8")
    .trim()
    .split("\n");
  return {
    page: readFileSync(join(EVIDENCE, `${trial.name}.md`), "utf8"),
    runs: lines.map((line) => JSON.parse(line) as TrialRun),
  };
}

test.each([staleness, thumbs])("$name: the page is generated from its runs", async (trial) => {
  const controls = await openControlLog(join(EVIDENCE, "controls.jsonl"));
  const { page, runs } = committed(trial);
  expect(runs).toHaveLength(trial.arms.length * trial.seeds.length);
  expect(withResults(page, trial, runs, verdicts(trial, runs), controls)).toBe(page);
});

test("with weights, learning survives samplers eight steps old, and without weights it does not", () => {
  const { runs } = committed(staleness);
  const held = new Map(verdicts(staleness, runs).map(({ says, holds }) => [says, holds]));
  expect(held.get("at lag 8, sequence weights end above the base")).toBe(true);
  expect(held.get("at lag 8, no correction ends below sequence weights")).toBe(true);
});

test.each(["KTO", "REINFORCE"])(
  "%s learns from thumbs alone and does not learn to agree",
  (name) => {
    const { runs } = committed(thumbs);
    const own = verdicts(thumbs, runs).filter(({ says }) => says.startsWith(`${name}:`));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter(({ holds }) => !holds)).toEqual([]);
  },
);
