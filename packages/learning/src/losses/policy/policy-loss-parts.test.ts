/** Derivatives of the loss parts for each token, compared with the published formula worked out by hand. */
import { expect, test } from "vitest";
import { expectClose } from "../../close.fixture.ts";
import type { LossPart, Minibatch } from "../../composition/part.ts";
import {
  contextOf,
  type GivenRow,
  minibatchOf,
  rewardedOf,
} from "../../composition/rewarded-trajectories.fixture.ts";
import type { StateName } from "../../composition/state.ts";
import * as parts from "../../parts.ts";

/** dL/d log π of each token. */
function slopes(
  loss: LossPart<StateName>,
  rows: readonly GivenRow[],
  more: Partial<Minibatch> = {},
  random: () => number = () => 0.5,
): number[] {
  const { derivatives } = loss.compute(minibatchOf(rows, more), contextOf({ random }));
  return (derivatives.logProb ?? []).flatMap((row) => [...row]);
}

const RATIOS = [0.7, 0.79, 0.9, 1.1, 1.25, 1.35];

const good: GivenRow = { advantages: RATIOS.map(() => 1), ratios: RATIOS };

const bad: GivenRow = { advantages: RATIOS.map(() => -1), ratios: RATIOS };

test("pg-clip clips only good tokens above 1 + ε and bad tokens below 1 − ε", () => {
  expectClose(slopes(parts.pgClip(0.2), [good]), [-0.7, -0.79, -0.9, -1.1, 0, 0]);
  expectClose(slopes(parts.pgClip(0.2), [bad]), [0, 0, 0.9, 1.1, 1.25, 1.35]);
});

test("clip-high gives good tokens more room to rise than bad tokens to fall", () => {
  expectClose(slopes(parts.clipHigh(), [good]), [-0.7, -0.79, -0.9, -1.1, -1.25, 0]);
  expectClose(slopes(parts.clipHigh(), [bad]), [0, 0, 0.9, 1.1, 1.25, 1.35]);
});

test("dual-clip caps the loss of a bad token at any ratio", () => {
  const row = { advantages: [-1, -1, 1], ratios: [2.9, 3.1, 0.5] };
  expectClose(slopes(parts.dualClip(0.2, 3), [row]), [2.9, 0, -0.5]);
  const { loss } = parts
    .dualClip(0.2, 3)
    .compute(minibatchOf([{ advantages: [-1], ratios: [50] }]), contextOf());
  expect(loss).toBeCloseTo(3, 12);
});

test("two-sided caps high ratios that the clip does not limit", () => {
  const row = { advantages: [-1, -1], ratios: [3.9, 4.1] };
  expectClose(slopes(parts.twoSidedClip(0.2, 4), [row]), [3.9, 0]);
});

test("seq-ratio moves all tokens of a sequence by the geometric mean of their ratios", () => {
  // 2 and 0.5: the sequence's ratio is 1, although both tokens are far outside the bounds.
  const even = { advantages: [1, 1], ratios: [2, 0.5] };
  expectClose(slopes(parts.sequenceRatio(), [even]), [-1, -1]);
  // exp(0.0004 + …): one of two tokens moved by 0.1 %, the mean by half of that, beyond 1 + 4e-4.
  const beyond = { advantages: [1, 1], ratios: [1.001, 1] };
  expectClose(slopes(parts.sequenceRatio(), [beyond]), [0, 0]);
  const inside = { advantages: [1, 1], ratios: [1.0006, 1] };
  expect(slopes(parts.sequenceRatio(), [inside]).every((slope) => slope < 0)).toBe(true);
});

test("cispo keeps the gradient of a clipped token and weights it by the detached, bounded ratio", () => {
  const row = { advantages: [1, 1, -1], ratios: [0.5, 2, 2] };
  expectClose(slopes(parts.cispo(), [row]), [-0.5, -1.28, 1.28]);
});

test("soft-gate is 1 on policy and fades faster for bad tokens", () => {
  const gated = (advantage: number, ratio: number): number =>
    slopes(parts.softGate(1, 2), [{ advantages: [advantage], ratios: [ratio] }])[0] ?? Number.NaN;
  expect(gated(1, 1)).toBeCloseTo(-1, 12);
  expect(gated(-1, 1)).toBeCloseTo(1, 12);
  // 4σ(τ(r − 1))(1 − σ)·r at r = 2: σ(1) for good tokens, σ(2) for bad ones.
  const slope = (x: number): number => (8 * Math.exp(-x)) / (1 + Math.exp(-x)) ** 2;
  expect(gated(1, 2)).toBeCloseTo(-slope(1), 12);
  expect(gated(-1, 2)).toBeCloseTo(slope(2), 12);
});

test("sg-clip keeps the gradient of clipped tokens of high entropy", () => {
  const row = {
    advantages: [1, 1, -1],
    ratios: [1.5, 1.5, 0.5],
    entropies: [0.4, 0.6, 0.6],
  };
  // Only at the upper bound, with the bound as the detached ratio.
  expectClose(slopes(parts.stopGradientClip(0.5), [row]), [0, -1.28, 0]);
});

test("reinforce is −A at every ratio", () => {
  const row = { advantages: [1, -2], ratios: [0.1, 9] };
  expectClose(slopes(parts.reinforce(), [row]), [-1, 2]);
});

test("tis weights each token by its ratio to the behavior policy, up to the cap", () => {
  const row = { advantages: [1, 1, 1], drifts: [0.5, 1, 3], weights: [1, 0.25, 1] };
  expectClose(slopes(parts.truncatedImportance(parts.reinforce(), 2), [row]), [-0.5, -0.25, -2]);
});

test("tis over sequences gives every token the product of its sequence's ratios", () => {
  const rows = [
    { advantages: [1, 1], drifts: [0.5, 1.5] },
    { advantages: [1], drifts: [1.5] },
  ];
  const loss = parts.truncatedImportance(parts.reinforce(), 2, "sequence");
  expectClose(slopes(loss, rows), [-0.75, -0.75, -1.5]);
});

/** Covariance of log-prob and advantage is highest at the first token and lowest at the second. */
const COVARYING: GivenRow = {
  advantages: [2, -2, 1, -1],
  logProbs: [-0.1, -0.1, -1, -1.2],
};

test("cov-mask drops randomly drawn tokens of high covariance and leaves the others unchanged", () => {
  const loss = parts.covMask(parts.reinforce(), { share: 0.25, lowest: 0.7, highest: 9 });
  expectClose(slopes(loss, [COVARYING]), [0, 2, -1, 1]);
});

test("kl-cov pulls back only the token of highest covariance", () => {
  const ratios = [1.5, 1.5, 1.5, 1.5];
  const row = { ...COVARYING, ratios };
  const free = slopes(parts.covariancePenalty(0.25, 0), [row]);
  const pulled = slopes(parts.covariancePenalty(0.25, 2), [row]);
  // The derivative of ½·2·(log r)² is 2·log r.
  expectClose(
    pulled.map((slope, t) => slope - (free[t] ?? 0)),
    [2 * Math.log(1.5), 0, 0, 0],
  );
  expectClose(free, [-3, 3, -1.5, 1.5]);
});

/** [_ a _ b b]: two turns. */
const TWO_TURNS = rewardedOf("e", { turns: [{ ok: false, calls: ["do"] }, { tokens: 2 }] });

test("span-mask keeps the loss of the turns that its rule selects", () => {
  const row = {
    advantages: [1, 1, 1, 1, 1],
    mask: TWO_TURNS.lossMask[0] ?? [],
    rewarded: TWO_TURNS,
  };
  const ran = parts.spanMask(parts.reinforce(), ({ toolResults }) =>
    toolResults.every(({ ok }) => ok),
  );
  expectClose(slopes(ran, [row]), [0, 0, 0, -1, -1]);
  expectClose(slopes(parts.spanMask(parts.reinforce()), [row]), [0, -1, 0, -1, -1]);
  // A row of another sample of the trajectory has none of these turns.
  expectClose(
    slopes(ran, [row], { samples: [1] }).filter((slope) => slope !== 0),
    [],
  );
});

test("tb uses the partition of a task or of the batch", () => {
  const row = (reward: number, seed: number): GivenRow => ({
    advantages: [0],
    rewarded: rewardedOf(`${reward}${seed}`, { reward, seed }),
    logProbs: [-1],
    referenceLogProbs: [-1],
  });
  const rows = [row(1, 1), row(0, 1), row(1, 2), row(1, 2)];
  // The gap of a row is log Z − log R. Z is ½ and 1 per task, ¾ for the batch; the slope is 2·gap / 4 rows.
  expectClose(slopes(parts.trajectoryBalancing(1, "task"), rows), [-0.25, 0.25, 0, 0]);
  expectClose(slopes(parts.trajectoryBalancing(1, "batch"), rows), [-0.125, 0.375, -0.125, -0.125]);
  expectClose(slopes(parts.trajectoryBalancing(0.5, "task"), rows), [-0.5, 0.5, 0, 0]);
});

test("entropy-bonus lowers the loss as entropy rises", () => {
  const { derivatives } = parts
    .entropyBonus(0.1)
    .compute(minibatchOf([{ advantages: [0, 0], entropies: [1, 2] }]), contextOf());
  expectClose(derivatives.entropy?.[0] ?? [], [-0.1, -0.1]);
});
