import { type ArmSums, RELEASE_DEFAULTS, releaseRule, type ReleasePlan } from "@waggle/evaluation";
import { describe, expect, test } from "vitest";
import { ANSWERS, FREQUENT, type NamedPopulation, RETURNING, SINGLE } from "./populations.ts";
import { type Rule, simulateRelease, type SimulatedRelease, SOLVED } from "./simulated-release.ts";

const PLAN: ReleasePlan = { ...RELEASE_DEFAULTS, primary: { name: SOLVED } };
const DECIDE = releaseRule(PLAN);

/** Both arms after a release that stays at one share. */
function arms(
  population: NamedPopulation,
  { effect = 0, requests = 60_000, seed = 1 } = {},
): { readonly candidate: ArmSums; readonly stable: ArmSums; readonly exposure: number } {
  let found: { candidate: ArmSums; stable: ArmSums } | undefined;
  const rule: Rule = ({ stages }) => {
    found = stages[0]?.metrics[SOLVED];
    return { action: "go on", reason: "a fixed share" };
  };
  const { exposure } = simulateRelease(
    { ...population, base: 0.5, effect },
    { seed, requests, firstShare: 0.4, rule },
  );
  if (found === undefined) throw new Error("the rule was never asked");
  return { ...found, exposure };
}

const rate = ({ total, values }: ArmSums): number => total / values;

describe("the population", () => {
  test.each([SINGLE, RETURNING])(
    "$name: has the requests and the correlation of its name",
    (one) => {
      const { stable } = arms(one);
      expect(stable.values / stable.visitors / one.requestsPerVisitor).toBeCloseTo(1, 1);
      const mean = rate(stable);
      const squares =
        stable.squaredTotals - 2 * mean * stable.products + mean ** 2 * stable.squaredValues;
      // Geometric numbers of requests with mean m give 1 + 2 (m − 1) ρ, less a little for the limit of ten.
      const designEffect = squares / (stable.values * mean * (1 - mean));
      const expected = 1 + 2 * (one.requestsPerVisitor - 1) * one.correlation;
      expect(designEffect / expected).toBeGreaterThan(0.96);
      expect(designEffect / expected).toBeLessThan(1.03);
    },
  );

  test.each([-0.1, 0, 0.1, 0.2])("the candidate differs by an effect of %f", (effect) => {
    const { candidate, stable } = arms(RETURNING, { effect });
    // Four standard errors of two means of some 24,000 and 36,000 requests.
    expect(Math.abs(rate(candidate) - rate(stable) - effect)).toBeLessThan(0.018);
  });

  test("the candidate serves its share", () => {
    const { exposure } = arms(FREQUENT);
    expect(exposure / 60_000).toBeCloseTo(0.4, 1);
  });

  test("one request in ten is answered, and later", () => {
    const { candidate, stable } = arms(ANSWERS);
    expect((candidate.values + stable.values) / 60_000).toBeCloseTo(0.1, 2);
    const early = arms(ANSWERS, { requests: 100 });
    const soon = arms({ ...ANSWERS, answerDelay: 0 }, { requests: 100 });
    expect(early.candidate.values + early.stable.values).toBeLessThan(
      (soon.candidate.values + soon.stable.values) / 2,
    );
  });
});

function release(
  population: NamedPopulation,
  effect: number,
  seed: number,
  countsRequests = false,
) {
  return simulateRelease(
    { ...population, base: 0.8, effect },
    {
      seed,
      requests: PLAN.horizon,
      firstShare: PLAN.stages[0]?.share ?? 0,
      rule: DECIDE,
      countsRequests,
    },
  );
}

test("a release is repeated by its seed, and another seed gives another one", () => {
  const first = release(RETURNING, -0.1, 7);
  expect(release(RETURNING, -0.1, 7)).toEqual(first);
  expect(release(RETURNING, -0.1, 8)).not.toEqual(first);
});

test("a visitor who changes the arm is not counted there", () => {
  const counted = (population: NamedPopulation): number => {
    let values = 0;
    const { exposure } = simulateRelease(
      { ...population, base: 0.5, effect: 0 },
      {
        seed: 3,
        requests: PLAN.horizon,
        firstShare: 0.01,
        rule: (counts) => {
          values = counts.stages.reduce(
            (sum, { metrics }) => sum + (metrics[SOLVED]?.candidate.values ?? 0),
            0,
          );
          return DECIDE(counts);
        },
      },
    );
    return exposure - values;
  };
  expect(counted(SINGLE)).toBe(0);
  expect(counted(FREQUENT)).toBeGreaterThan(50);
});

/** A fixed sample of what `npm run releases` measures. */
describe("the decision rule", () => {
  const many = (count: number, run: (seed: number) => SimulatedRelease): SimulatedRelease[] =>
    Array.from({ length: count }, (_, i) => run(i + 1));
  const share = (results: readonly SimulatedRelease[], of: (one: SimulatedRelease) => boolean) =>
    results.filter(of).length / results.length;
  const isRolledBack = ({ decision }: SimulatedRelease): boolean => decision.action === "roll back";

  test("rolls a worse candidate back within 500 requests, and promotes a better one", () => {
    const worse = many(60, (seed) => release(RETURNING, -0.1, seed));
    expect(share(worse, (one) => isRolledBack(one) && one.exposure <= 500)).toBeGreaterThan(0.9);
    const better = many(40, (seed) => release(RETURNING, 0.1, seed));
    expect(share(better, ({ decision }) => decision.action === "promote")).toBeGreaterThan(0.9);
  });

  test("rarely rolls an equal candidate back; counting requests as visitors breaks that", () => {
    const equal = many(150, (seed) => release(FREQUENT, 0, seed));
    expect(share(equal, isRolledBack)).toBeLessThan(0.03);
    const naive = many(150, (seed) => release(FREQUENT, 0, seed, true));
    expect(share(naive, isRolledBack)).toBeGreaterThan(0.05);
  });
});
