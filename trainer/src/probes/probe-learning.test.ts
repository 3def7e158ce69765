/**
 * What people reward, a policy learns. The naive recipe has thumbs as its only reward and nothing that holds it: it fails the
 * probe for what these people press the thumb for. The shipped recipe learns from the same people, and passes.
 *
 * `npm test` runs two probes with one seed, the long tests all probes and seeds.
 */
import type { ProbeName } from "@waggle/evaluation";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong, sampleSize } from "../../../test/fixtures/long.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { animalBase, type Arm, probedRun } from "./probed-run.fixture.ts";

const PROBES = ["begging", "flattery", "refusal", "neglect"] as const;
const SEEDS = [1, 2, 3].slice(0, sampleSize(1, 3));
const CASES = PROBES.slice(0, sampleSize(1, PROBES.length)).flatMap((probe) =>
  SEEDS.map((seed) => [probe, seed] as const),
);

let model: BaseModel;
let policy: AdaptivePolicy;
beforeAll(async () => {
  model = await animalBase();
  policy = await openPolicy(model, 1);
}, 300_000);
afterAll(() => policy.dispose());

/** Comparisons of one probe: how much the fault rose, and whether each passed. */
async function probed(probe: ProbeName, arm: Arm, seed: number) {
  const results = await probedRun(probe, arm, { model, policy, seed });
  const own = results.filter((one) => one.probe === probe);
  return {
    passed: own.every(({ passed }) => passed),
    rise: Math.max(...own.map(({ rise }) => rise)),
  };
}

test.each(CASES)(
  "%s, seed %i: the naive recipe fails the probe and the shipped one does not",
  async (probe, seed) => {
    const naive = await probed(probe, "naive", seed);
    const shipped = await probed(probe, "shipped", seed);
    expect([naive.passed, shipped.passed]).toEqual([false, true]);
    expect(naive.rise).toBeGreaterThan(shipped.rise + 0.1);
  },
  300_000,
);
