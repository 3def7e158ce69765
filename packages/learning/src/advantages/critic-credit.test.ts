/** When a critic's value is used, on trajectories with every stop reason. */
import type { StopReason } from "@waggle/protocol";
import { expect, test } from "vitest";
import { type JudgedTrajectory, wasCutOff } from "../composition/judged-trajectory.ts";
import type {
  AdvantagePart,
  Minibatch,
  PartContext,
  RewardedTrajectory,
} from "../composition/part.ts";
import * as parts from "../parts.ts";

const CONTEXT: PartContext = {
  step: 0,
  steps: 1,
  random: () => 0.5,
  state: {},
  ports: {},
  signal: new AbortController().signal,
};

/** One sample of five tokens, two turns of two: [_ a a b b]. */
function rewarded(id: string, reward: number, stopReason: StopReason): RewardedTrajectory {
  const turn = { toolCalls: [], toolResults: [], parseError: null, reward: null, sample: 0 };
  const terminated = stopReason === "completed";
  const trajectory = {
    id,
    role: "policy",
    branch: null,
    record: { stopReason, terminated, truncated: !terminated },
    turns: [
      { ...turn, start: 1, end: 3, state: "first" },
      { ...turn, start: 3, end: 5, state: `second of ${id}` },
    ],
  } as unknown as JudgedTrajectory;
  const lossMask = [[false, true, true, true, true]];
  return {
    trajectory,
    lossMask,
    reward: { total: reward },
    tokenWeights: [new Float64Array(5).fill(1)],
  };
}

/**
 * The last return of a trajectory with reward 0, a critic that says 0.5 everywhere, and λ = 1: 0, or 0.5 if
 * it bootstraps.
 */
function lastReturn(part: AdvantagePart<"critic", "single">, stopReason: StopReason): number {
  const { returns } = part.estimate(
    [{ task: "t", trajectories: [rewarded("e", 0, stopReason), rewarded("f", 1, "completed")] }],
    {
      ...CONTEXT,
      values: new Map(["e", "f"].map((id) => [id, [new Float64Array(5).fill(0.5)]])),
      finalValues: new Map([["e", [0.5]]]),
    },
  );
  return returns?.get("e")?.[0]?.[4] ?? Number.NaN;
}

const CREDITS = {
  gae: parts.gae({ discount: 1, lambda: 1 }),
  "gae-step": parts.gaeStep({ discount: 1, lambda: 1 }),
  td: parts.temporalDifference({ discount: 1, chunk: 1, next: "logged" }),
};

const JUDGED = [
  "completed",
  "max-turns",
  "max-tokens",
  "context-overflow",
  "parse-error",
  "guard-stopped",
] as const;

test.each(Object.entries(CREDITS))("%s gives no credit for not answering", (_, part) => {
  for (const stopReason of JUDGED) {
    expect([stopReason, lastReturn(part, stopReason)]).toEqual([stopReason, 0]);
  }
  for (const stopReason of ["aborted", "timeout", "tool-error"] as const) {
    expect([stopReason, lastReturn(part, stopReason)]).toEqual([stopReason, 0.5]);
  }
});

test("a critic that is fitted to rollouts without a reward converges to 0", () => {
  // With λ = 0.95 and bootstrapping from its own value, it would stay at its initial value.
  let value = 1;
  for (let step = 0; step < 200; step += 1) {
    const trajectory = rewarded("e", 0, "parse-error");
    expect(wasCutOff(trajectory.trajectory)).toBe(false);
    const { returns } = parts
      .gae({ discount: 1, lambda: 0.95 })
      .estimate([{ task: "t", trajectories: [trajectory] }], {
        ...CONTEXT,
        values: new Map([["e", [new Float64Array(5).fill(value)]]]),
        finalValues: new Map([["e", [value]]]),
      });
    value += 0.1 * ((returns?.get("e")?.[0]?.[4] ?? Number.NaN) - value);
  }
  expect(value).toBeLessThan(1e-6);
});

/** Mean and deviation of the advantages over all loss tokens. */
function spread(part: AdvantagePart<"critic", "single">, estimate: number): [number, number] {
  const trajectories = [0, 1, 1].map((reward, i) => rewarded(`${i}`, reward, "completed"));
  const { advantages } = part.estimate([{ task: "t", trajectories }], {
    ...CONTEXT,
    values: new Map(
      trajectories.map(({ trajectory: { id } }) => [id, [new Float64Array(5).fill(estimate)]]),
    ),
  });
  const all = [...advantages.values()].flatMap(([row]) => Array.from(row ?? []).slice(1));
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  const square = all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length;
  return [mean, Math.sqrt(square)];
}

test.each(["gae", "gae-step"] as const)(
  "%s ignores a constant error of the critic: mean 0, deviation 1",
  (name) => {
    for (const estimate of [0, 0.6, 1.5]) {
      const [mean, deviation] = spread(CREDITS[name], estimate);
      expect(mean).toBeCloseTo(0, 12);
      expect(deviation).toBeCloseTo(1, 6);
    }
    const plain = parts.gae({ discount: 1, lambda: 1, whitened: false });
    expect(spread(plain, 1.5)[0]).toBeCloseTo(2 / 3 - 1.5, 12);
  },
);

test("a critic per turn is fitted at the start of each turn, a critic per token at every token", () => {
  const group = { task: "t", trajectories: [rewarded("e", 1, "completed")] };
  const rows = { lossMask: group.trajectories[0]?.lossMask, tokenCount: 4, samples: [0] };
  const minibatch = {
    ...rows,
    trajectories: group.trajectories,
    shares: [new Float64Array(5).fill(1 / 4)],
    values: [new Float64Array(5)],
    returns: [new Float64Array(5).fill(1)],
  } as unknown as Minibatch;
  const fitted = (at: "tokens" | "turns"): boolean[] =>
    Array.from(parts.critic(at).compute(minibatch, CONTEXT).derivatives.values?.[0] ?? [], Boolean);
  expect(fitted("tokens")).toEqual([false, true, true, true, true]);
  expect(fitted("turns")).toEqual([false, true, false, true, false]);
});
