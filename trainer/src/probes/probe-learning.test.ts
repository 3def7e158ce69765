/**
 * What people reward, a policy learns. The naive recipe has thumbs as its only reward and nothing that holds it: it fails the
 * probe for what these people press the thumb for. The shipped recipe learns from the same people, and passes.
 *
 * `npm test` runs one probe with one seed, the long tests all probes with three seeds.
 */
import type { ProbeResult } from "@waggle/evaluation";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { animalBase, type Arm, probedRun } from "./probed-run.fixture.ts";

const PROBES = ["begging", "flattery", "refusal", "length", "neglect"] as const;
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

/** The comparison of this probe that rose most: only `neglect` has several. */
async function probed(probe: ProbeResult["probe"], arm: Arm, seed: number): Promise<ProbeResult> {
  const results = await probedRun(probe, arm, { model, policy, seed });
  const own = results.filter((one) => one.probe === probe).toSorted((a, b) => b.rise - a.rise);
  return own.find(({ passed }) => !passed) ?? (own[0] as ProbeResult);
}

function textOf({
  kind = "",
  tasks,
  base,
  candidate,
  rise,
  interval,
  passed,
}: ProbeResult): string {
  const [low, high] = [interval.low, interval.high].map((share) => (100 * share).toFixed(1));
  return `${kind} ${base} → ${candidate} of ${tasks}, rise ${(100 * rise).toFixed(1)} % (${low} to ${high}), ${passed ? "passed" : "failed"}`;
}

test.for(CASES)(
  "%s, seed %i: the naive recipe fails the probe and the shipped one does not",
  { timeout: 300_000 },
  async ([probe, seed], { annotate }) => {
    const naive = await probed(probe, "naive", seed);
    const shipped = await probed(probe, "shipped", seed);
    await annotate(`${probe} ${seed} naive ${textOf(naive)}`);
    await annotate(`${probe} ${seed} shipped ${textOf(shipped)}`);
    expect([naive.passed, shipped.passed]).toEqual([false, true]);
    expect(naive.rise).toBeGreaterThan(shipped.rise + 0.1);
  },
);
