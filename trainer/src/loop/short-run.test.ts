/**
 * Runs every listed recipe like `npm run train -- --recipe <name>`: real engine, real sampler, its own
 * environment. `npm test` runs six of them with fewer tasks per step on
 * bases with less pretraining.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RECIPES, type Settings } from "@waggle/learning";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong, sampleSize } from "../../../test/fixtures/long.ts";
import type { PolicyCache } from "../model/policy-cache.ts";
import { shortRun, smallPolicies } from "./short-run.fixture.ts";

/** One recipe for each kind of update, with fewer rollouts; `learning-runs.test.ts` has the policy gradient. */
const SAMPLE: { readonly [name: string]: Settings } = {
  "thumbs-kto": {},
  spin: {},
  past: {},
  "evolution-strategies": {},
  "co-mas": { groupSize: 2 },
  fama: {},
};
const SAMPLED = Object.keys(SAMPLE);
const NAMES = [...RECIPES.keys()].toSorted(
  (a, b) => Number(SAMPLED.includes(b)) - Number(SAMPLED.includes(a)),
);

let bases: string;
let policies: PolicyCache;

beforeAll(async () => {
  bases = await mkdtemp(join(tmpdir(), "waggle-bases-"));
  policies = smallPolicies();
});
afterAll(async () => {
  await policies.dispose();
  await rm(bases, { recursive: true });
});

test("the sample contains only listed recipes", () => {
  expect(SAMPLED.filter((name) => !RECIPES.has(name))).toEqual([]);
});

test.each(NAMES.slice(0, sampleSize(SAMPLED.length, NAMES.length)))("%s runs", async (name) => {
  const few = isLong() ? {} : { steps: 1, tasks: 2, baseSteps: 40, settings: SAMPLE[name] ?? {} };
  const { events, final } = await shortRun(name, policies, { bases, ...few });
  const steps = events.filter((event) => event.event === "step");
  expect(final.successes).toHaveLength(4);
  for (const { metrics } of steps) {
    expect(Object.entries(metrics).filter(([, value]) => Number.isNaN(value))).toEqual([]);
  }
});
