import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StageSums } from "./arm-difference.ts";
import type { ArmSums } from "./arm-sums.ts";
import {
  metricDifferences,
  type ReleaseCounts,
  type ReleaseDecision,
  releaseRule,
  type ReleaseStage,
} from "./release-decision.ts";
import {
  RELEASE_DEFAULTS,
  type ReleasePlan,
  requirePlan,
  sizeAfterExposure,
  sizeAtHorizon,
} from "./release-plan.ts";

const PLAN: ReleasePlan = { ...RELEASE_DEFAULTS, primary: { name: "solved" } };
const GUARDED: ReleasePlan = { ...PLAN, guardrails: [{ name: "readable" }, { name: "fast" }] };

function releaseDecision(given: ReleaseCounts, plan: ReleasePlan): ReleaseDecision {
  return releaseRule(plan)(given);
}

/** An arm of visitors with one request each. */
function arm(rate: number, visitors: number): ArmSums {
  const total = Math.round(rate * visitors);
  return {
    visitors,
    values: visitors,
    total,
    squaredValues: visitors,
    products: total,
    squaredTotals: total,
  };
}

/** A stage in which every request gives a value: by metric the rates of candidate and stable version. */
function stage(
  share: number,
  exposure: number,
  rates: Readonly<Record<string, readonly [candidate: number, stable: number]>>,
): ReleaseStage {
  const others = Math.round((exposure * (1 - share)) / share);
  const metrics: Record<string, StageSums> = {};
  for (const [name, [candidate, stable]] of Object.entries(rates)) {
    metrics[name] = { candidate: arm(candidate, exposure), stable: arm(stable, others) };
  }
  return { share, exposure, metrics };
}

function counts(...stages: readonly ReleaseStage[]): ReleaseCounts {
  const requests = stages.reduce((sum, { share, exposure }) => sum + exposure / share, 0);
  return { requests: Math.round(requests), stages };
}

/** The plan's stages until the last one, all with these rates. */
function before(rates: Parameters<typeof stage>[2]): ReleaseStage[] {
  return PLAN.stages
    .slice(0, -1)
    .map(({ share, exposure }) => stage(share, Math.round(exposure * PLAN.horizon), rates));
}

describe("the share", () => {
  const equal = { solved: [0.5, 0.5] } as const;

  test("stays until the stage has its requests, and then grows to the plan's next one", () => {
    const early = counts(stage(0.1, 449, equal));
    expect(releaseDecision(early, PLAN)).toEqual({
      action: "go on",
      reason: "the stage has 449 of 450 requests",
    });
    const over = counts(stage(0.1, 450, equal));
    expect(releaseDecision(over, PLAN)).toMatchObject({ action: "set share", share: 0.25 });
  });

  test("stays while a metric looks worse without certainty", () => {
    // 4.5 points of 450: about two standard errors, above the boundary of 2.7.
    const worse = { solved: [0.455, 0.5] } as const;
    expect(releaseDecision(counts(stage(0.1, 450, worse)), PLAN)).toEqual({
      action: "go on",
      reason: "solved looks worse, without certainty yet",
    });
    const guarded = { ...equal, readable: [0.93, 0.96], fast: [0.5, 0.5] } as const;
    expect(releaseDecision(counts(stage(0.1, 450, guarded)), GUARDED)).toMatchObject({
      action: "go on",
      reason: "readable looks worse, without certainty yet",
    });
  });

  test("grows to 10 % without values, and needs those of 20 visitors of each arm for more", () => {
    expect(releaseDecision(counts(stage(0.01, 5, equal)), PLAN)).toMatchObject({ share: 0.02 });
    expect(releaseDecision(counts(stage(0.05, 40, {})), PLAN)).toMatchObject({ share: 0.1 });
    const few = { action: "go on", reason: "too few visitors have values of solved" };
    expect(releaseDecision(counts(stage(0.1, 450, {})), PLAN)).toEqual(few);
    const valued = (visitors: number): ReleaseCounts =>
      counts({
        ...stage(0.1, 450, {}),
        metrics: { solved: { candidate: arm(0.5, visitors), stable: arm(0.5, 100) } },
      });
    expect(releaseDecision(valued(19), PLAN)).toEqual(few);
    expect(releaseDecision(valued(20), PLAN)).toMatchObject({ action: "set share", share: 0.25 });
    // Values of a guardrail say nothing about what the release is for.
    const guarded = counts(stage(0.1, 450, { readable: [0.9, 0.9], fast: [0.5, 0.5] }));
    expect(releaseDecision(guarded, GUARDED)).toEqual(few);
  });
});

describe("a worse candidate", () => {
  test.each([
    [100, 0.2, "roll back"],
    [100, 0.4, "go on"],
    [430, 0.36, "roll back"],
    [430, 0.4, "roll back"],
    [430, 0.44, "go on"],
  ])("with %i requests and a rate of %f instead of 0.5: %s", (exposure, rate, action) => {
    const decision = releaseDecision(counts(stage(0.1, exposure, { solved: [rate, 0.5] })), PLAN);
    expect(decision.action).toBe(action);
  });

  test("is rolled back for a guardrail although it solves more", () => {
    const rates = { solved: [0.7, 0.5], readable: [0.8, 0.98], fast: [0.5, 0.5] } as const;
    const decision = releaseDecision(counts(stage(0.1, 300, rates)), GUARDED);
    expect(decision).toMatchObject({ action: "roll back", metric: "readable" });
    expect(decision.reason).toMatch(/^readable is lower by 0\.180 ± 0\.0/);
  });

  test("is not rolled back before twenty visitors of each arm have values", () => {
    const rates = { solved: [0, 1] } as const;
    const few = releaseDecision(counts(stage(0.1, 19, rates)), PLAN);
    expect(few.action).toBe("go on");
    expect(releaseDecision(counts(stage(0.1, 20, rates)), PLAN).action).toBe("roll back");
  });

  test("is rolled back later if it is one of several metrics, because they share the error rate", () => {
    const rates = { solved: [0.372, 0.5], readable: [0.9, 0.9], fast: [0.5, 0.5] } as const;
    const rolledBackFrom = (plan: ReleasePlan): number =>
      Array.from({ length: 400 }, (_, i) => i + 20).find(
        (exposure) =>
          releaseDecision(counts(stage(0.1, exposure, rates)), plan).action === "roll back",
      ) ?? Infinity;
    const alone = rolledBackFrom(PLAN);
    expect(alone).toBeGreaterThan(200);
    expect(rolledBackFrom(GUARDED)).toBeGreaterThan(alone);
    expect(rolledBackFrom({ ...PLAN, falseRollback: 0.1 })).toBeLessThan(alone);
    const tolerant = { ...PLAN, primary: { name: "solved", tolerance: 0.1 } };
    expect(rolledBackFrom(tolerant)).toBe(Infinity);
  });
});

test("the limits of a difference say what the rule decides, and a metric without values has none", () => {
  const found = [0.3, 0.4, 0.42, 0.44, 0.5].map((rate) => {
    const given = counts(stage(0.1, 430, { solved: [rate, 0.5], readable: [0.9, 0.9] }));
    const [solved, readable, fast] = metricDifferences(GUARDED, given);
    expect(solved?.mean).toBeCloseTo(rate - 0.5, 2);
    expect(readable).toMatchObject({ mean: expect.closeTo(0, 2) as number });
    expect(fast).toBeNull();
    const { action } = releaseDecision(given, GUARDED);
    return { action, isBelowZero: (solved?.high ?? 0) < 0 };
  });
  expect(new Set(found.map(({ action }) => action))).toEqual(new Set(["roll back", "go on"]));
  for (const { action, isBelowZero } of found) expect(isBelowZero).toBe(action === "roll back");
});

describe("promotion", () => {
  const last = (exposure: number, candidate: number, stable: number): ReleaseCounts => {
    const rates = { solved: [candidate, stable] } as const;
    return counts(...before(rates), stage(0.5, exposure, rates));
  };

  test("needs the last stage's requests, and then a difference above 0", () => {
    expect(releaseDecision(last(299, 0.6, 0.5), PLAN).action).toBe("go on");
    const better = releaseDecision(last(300, 0.6, 0.5), PLAN);
    expect(better).toMatchObject({ action: "promote", because: "better" });
    expect(better.reason).toMatch(/^the difference of solved is at least 0\.0[3-6]/);
  });

  test("of an equal candidate waits for the horizon and says so", () => {
    const early = last(1600, 0.5, 0.5);
    expect(early.requests).toBeLessThan(PLAN.horizon);
    expect(releaseDecision(early, PLAN)).toEqual({
      action: "go on",
      reason: "not yet shown to be better",
    });
    const late = last(1625, 0.5, 0.5);
    expect(late.requests).toBe(PLAN.horizon);
    expect(releaseDecision(late, PLAN)).toMatchObject({ action: "promote", because: "no worse" });
    const strict = releaseDecision(late, { ...PLAN, margin: 0.01 });
    expect(strict.reason).toMatch(/^undecided after the horizon: .*, and -0\.01 is needed$/);
  });

  test("waits for visitors with values of the primary metric", () => {
    const bare = counts(...before({}), stage(0.5, 1600, {}));
    expect(bare.requests).toBeLessThan(PLAN.horizon);
    expect(releaseDecision(bare, PLAN)).toEqual({
      action: "go on",
      reason: "too few visitors have values of solved",
    });
  });

  test("does not come after the horizon without values: the candidate is rolled back", () => {
    const atHorizon = (metrics: ReleaseStage["metrics"]): ReleaseDecision =>
      releaseDecision(
        { requests: PLAN.horizon, stages: [{ ...stage(0.1, 1000, {}), metrics }] },
        PLAN,
      );
    expect(atHorizon({})).toEqual({
      action: "roll back",
      metric: "solved",
      reason: "after the horizon, too few visitors have values of solved",
    });
    const valued = { solved: { candidate: arm(0.5, 20), stable: arm(0.5, 100) } };
    expect(atHorizon(valued).action).toBe("set share");
  });

  test("is held by a guardrail that looks worse", () => {
    const rates = { solved: [0.6, 0.5], readable: [0.96, 0.98], fast: [0.5, 0.5] } as const;
    const held = counts(...before(rates), stage(0.5, 800, rates));
    expect(releaseDecision(held, PLAN).action).toBe("promote");
    expect(releaseDecision(held, GUARDED)).toMatchObject({ action: "go on" });
  });
});

test("equal counts give equal decisions, and the order of arms matters", () => {
  const rate = fc.integer({ min: 0, max: 100 });
  let rolledBack = 0;
  fc.assert(
    fc.property(rate, rate, fc.integer({ min: 20, max: 2000 }), (a, b, exposure) => {
      const of = (x: number, y: number): ReleaseDecision =>
        releaseDecision(counts(stage(0.5, exposure, { solved: [x / 100, y / 100] })), PLAN);
      expect(of(a, b)).toEqual(of(a, b));
      const [better, worse] = [
        of(Math.max(a, b), Math.min(a, b)),
        of(Math.min(a, b), Math.max(a, b)),
      ];
      expect(better.action).not.toBe("roll back");
      if (worse.action === "roll back") rolledBack += 1;
    }),
  );
  expect(rolledBack).toBeGreaterThan(20);
});

describe("a plan", () => {
  test("has the sizes of its shares, summed by hand", () => {
    // 3 · 0.99 + 7 · 0.98 + 40 · 0.95 + 450 · 0.9.
    expect(sizeAfterExposure(PLAN, 0.05)).toBeCloseTo(452.83, 8);
    expect(sizeAfterExposure(PLAN, 0.001)).toBeCloseTo(3 * 0.99 + 7 * 0.98, 8);
    // The same, 200 · 0.75, and half of the 1625 requests that are left of 10,000 for the candidate at 50 %.
    expect(sizeAtHorizon(PLAN)).toBeCloseTo(1415.33, 8);
  });

  test.each<[Partial<ReleasePlan>, RegExp]>([
    [{ guardrails: [{ name: "solved" }] }, /names of metrics/],
    [{ primary: { name: "solved", responseRate: 0 } }, /responseRate/],
    [{ primary: { name: "solved", tolerance: 1 } }, /tolerance/],
    [{ stages: [] }, /stages must not be empty/],
    [
      {
        stages: [
          { share: 0.2, exposure: 0.1 },
          { share: 0.1, exposure: 0.1 },
        ],
      },
      /shares/,
    ],
    [{ stages: [{ share: 1, exposure: 0.1 }] }, /shares/],
    [{ stages: [{ share: 0.5, exposure: 0 }] }, /exposure of a stage/],
    [{ horizon: 0.5 }, /horizon/],
    [{ exposure: 1 }, /exposure must be/],
    [{ minVisitors: 1 }, /minVisitors/],
    [{ margin: 0 }, /margin/],
  ])("that cannot be followed is refused: %o", (change, message) => {
    expect(() => requirePlan(PLAN)).not.toThrow();
    expect(() => requirePlan({ ...PLAN, ...change })).toThrow(message);
  });
});

test.each<[string, ReleaseCounts]>([
  ["no stage", { requests: 0, stages: [] }],
  ["a share of another plan", counts(stage(0.3, 10, {}))],
  ["fewer requests than the candidate served", { requests: 5, stages: [stage(0.1, 10, {})] }],
  ["half a request", { requests: 10.5, stages: [stage(0.1, 1, {})] }],
  ["a negative exposure", { requests: 10, stages: [{ share: 0.1, exposure: -1, metrics: {} }] }],
])("counts with %s are refused", (_, given) => {
  const refusal = expect.objectContaining({ code: "INVALID_ARGUMENT" }) as object;
  expect(() => releaseDecision(given, PLAN)).toThrow(refusal);
});

test("a metric named like a property of every object has no values", () => {
  const plan = { ...PLAN, guardrails: [{ name: "constructor" }] };
  const given = counts(stage(0.01, 5, { solved: [0.5, 0.5] }));
  expect(releaseDecision(given, plan).action).toBe("set share");
});
