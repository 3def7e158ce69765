/**
 * Loss parts that no row of the literature table names. Each loss runs in its own recipe and is compared with a
 * direct call of its formula.
 */
import { expect, test } from "vitest";
import { partsOf } from "../composition/definition.ts";
import { ownRecipe } from "../composition/own-recipe.fixture.ts";
import type { LossPart, Minibatch, PartContext, RewardedTrajectory } from "../composition/part.ts";
import { rewardStage, type Stage } from "../composition/stage.ts";
import {
  icePopWeights,
  sequenceBandMask,
  tokenBandMask,
  vetoOutliers,
} from "../corrections/band-masks.ts";
import type { Correction } from "../corrections/correction.ts";
import { topCovarianceTokens } from "../corrections/covariance-mask.ts";
import { maskDivergentTokens, offPolicySequenceMask } from "../corrections/divergence-masks.ts";
import { secondMomentMask } from "../corrections/second-moment-mask.ts";
import type { LossResult } from "../loss.ts";
import * as parts from "../parts.ts";
import { lossTokenCount, type TokenRows } from "../token-rows.ts";
import { tokenShares } from "./aggregation.ts";
import { observationLoss } from "./imitation/observation-loss.ts";
import { unlikelihoodLoss } from "./imitation/unlikelihood.ts";
import { type RandomMinibatch, randomMinibatch } from "./minibatch.fixture.ts";
import { clippedSurrogate } from "./policy/clipped-surrogate.ts";
import { covariancePenaltyLoss } from "./policy/covariance-penalty.ts";
import { geometricMeanSurrogate } from "./policy/geometric-mean.ts";
import { importanceSamplingLoss } from "./policy/importance-sampling.ts";
import { probabilityGapSurrogate } from "./policy/probability-gap.ts";
import { selfImitationLoss } from "./policy/self-imitation.ts";
import { variationalWeightLoss } from "./policy/variational-weight.ts";

const CONTEXT: PartContext = {
  step: 0,
  steps: 1,
  random: () => 0.5,
  state: {},
  ports: {},
  signal: new AbortController().signal,
};

/** Sixteen sequences, enough for every mask to drop different tokens. */
const drawn: RandomMinibatch = [1, 2, 3, 4]
  .map(randomMinibatch)
  .reduce(
    (joined, more) =>
      Object.fromEntries(
        Object.entries(joined).map(([name, rows]) => [
          name,
          [...rows, ...more[name as keyof RandomMinibatch]],
        ]),
      ) as unknown as RandomMinibatch,
  );

/** A failed first turn, then the rest. The first token without loss after a loss token is a tool's. */
function trajectoryOf(lossMask: readonly boolean[]): RewardedTrajectory {
  const end = lossMask.length;
  const cut = Math.ceil(end / 2);
  const turn = { sample: 0, parseError: null, toolResults: [] };
  return {
    trajectory: {
      samples: [{ lossMask }],
      turns: [
        { ...turn, start: 0, end: cut, toolResults: [{ callId: "c", ok: false }] },
        { ...turn, start: cut, end },
      ],
    },
    reward: { total: 0 },
    lossMask: [lossMask],
    tokenWeights: [],
  } as unknown as RewardedTrajectory;
}

const MINIBATCH: Minibatch = {
  ...drawn,
  // Not the token mean, which is the default of a loss.
  shares: tokenShares({ kind: "seq-mean-token-sum" }, drawn),
  tokenCount: lossTokenCount(drawn.lossMask) + 3,
  trajectories: drawn.lossMask.map(trajectoryOf),
  samples: drawn.lossMask.map(() => 0),
  pairs: [],
};

const spread = (ofRows: readonly number[]): TokenRows =>
  drawn.lossMask.map((mask, b) => mask.map(() => ofRows[b] ?? 0));

/** One advantage and one weight per sequence. */
const EVEN: Minibatch = {
  ...MINIBATCH,
  advantages: spread(drawn.sequenceAdvantages),
  weights: spread(drawn.sequenceWeights),
};

const BOUNDS = { lower: 0.2, upper: 0.2 };

const inner = parts.pgClip(0.2);

/** The clipped surrogate with the weights of a correction. */
const clipped = ({ weights }: Correction, minibatch = MINIBATCH): LossResult =>
  clippedSurrogate(
    {
      ...minibatch,
      weights: minibatch.weights.map((row, b) =>
        Array.from(row, (w, t) => w * (weights[b]?.[t] ?? 0)),
      ),
    },
    BOUNDS,
    minibatch,
  );

const failedTurns = drawn.lossMask.map((mask) =>
  mask.map((counts, t) => counts && t < Math.ceil(mask.length / 2)),
);

const observed = drawn.lossMask.map((mask) =>
  mask.map((counts, t) => !counts && t > mask.indexOf(true)),
);

type Case = readonly [
  part: string,
  loss: LossPart,
  expected: () => LossResult,
  minibatch?: Minibatch,
];

const CASES: readonly Case[] = [
  ["is", parts.importanceSampling(), () => importanceSamplingLoss(MINIBATCH, MINIBATCH)],
  [
    "prob-gap",
    parts.probabilityGap(),
    () =>
      probabilityGapSurrogate(
        MINIBATCH,
        { rule: "away", threshold: 0.2, penalty: 1e-3 },
        MINIBATCH,
      ),
  ],
  [
    "prob-gap",
    parts.probabilityGap("either"),
    () =>
      probabilityGapSurrogate(
        MINIBATCH,
        { rule: "either", threshold: 0.1, penalty: 1e-3 },
        MINIBATCH,
      ),
  ],
  [
    "vespo",
    parts.variationalWeight(),
    () => variationalWeightLoss(MINIBATCH, undefined, MINIBATCH),
  ],
  ["self-imitation", parts.selfImitation(), () => selfImitationLoss(MINIBATCH, BOUNDS, MINIBATCH)],
  [
    "kl-cov",
    parts.covariancePenalty(0.3, 2),
    () =>
      covariancePenaltyLoss(
        { ...MINIBATCH, penalized: topCovarianceTokens(MINIBATCH, 0.3) },
        2,
        MINIBATCH,
      ),
  ],
  [
    "gmpo",
    parts.geometricMean(0.3),
    () => geometricMeanSurrogate({ ...EVEN, ...drawn }, 0.3, EVEN),
    EVEN,
  ],
  [
    "unlikelihood",
    parts.unlikelihood(),
    () => unlikelihoodLoss({ ...MINIBATCH, lossMask: failedTurns }),
  ],
  [
    "aux",
    parts.auxiliaryObservations(),
    () => observationLoss({ ...MINIBATCH, observationMask: observed }),
  ],
  [
    "token-band",
    parts.tokenBand(inner, 0.9, 1.2),
    () => clipped(tokenBandMask(MINIBATCH, { lowest: 0.9, highest: 1.2 })),
  ],
  [
    "icepop",
    parts.icePop(inner, 0.9, 1.2),
    () => clipped(icePopWeights(MINIBATCH, { lowest: 0.9, highest: 1.2 })),
  ],
  [
    "seq-band",
    parts.sequenceBand(inner, 0.8, 1.25),
    () => clipped(sequenceBandMask(MINIBATCH, { lowest: 0.8, highest: 1.25 }, "product")),
  ],
  [
    "geo-band",
    parts.geometricBand(inner, 0.9, 1.1),
    () => clipped(sequenceBandMask(MINIBATCH, { lowest: 0.9, highest: 1.1 }, "geometric-mean")),
  ],
  [
    "veto",
    parts.outlierVeto(inner, 0.8, 1.3),
    () => clipped(vetoOutliers(MINIBATCH, { lowest: 0.8, highest: 1.3 })),
  ],
  [
    "kl-mask",
    parts.divergenceMask(inner, 0.01),
    () => clipped(maskDivergentTokens(MINIBATCH, "k3", 0.01)),
  ],
  ["m2po", parts.secondMoment(inner, 0.005), () => clipped(secondMomentMask(MINIBATCH, 0.005))],
  [
    "opsm",
    parts.offPolicyMask(inner, 0.05),
    () => clipped(offPolicySequenceMask({ ...EVEN, ...drawn, ...EVEN }, 0.05), EVEN),
    EVEN,
  ],
];

/** A recipe with this loss, and otherwise only the minimum. */
function stageWith(loss: LossPart): { readonly stage: Stage; readonly names: readonly string[] } {
  const recipe = ownRecipe(
    rewardStage({
      rollout: parts.group(4),
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [loss],
    }),
  );
  return { stage: recipe.stages[0] as Stage, names: partsOf(recipe)["loss"] ?? [] };
}

const NOTHING: LossResult = { loss: 0, derivatives: {}, metrics: {} };

const slopes = ({ derivatives }: LossResult): string =>
  JSON.stringify(derivatives.logProb?.map((row) => [...row]));

test.each(
  CASES.map(([part, loss, expected, minibatch = MINIBATCH]) => ({
    part,
    loss,
    expected,
    minibatch,
  })),
)("$part in a recipe equals its formula", ({ part, loss, expected, minibatch }) => {
  const { stage, names } = stageWith(loss);
  expect(names[0]).toBe(part);
  const [only] = stage.losses;
  const result = only?.loss.compute(minibatch, CONTEXT) ?? NOTHING;
  expect(result).toEqual(expected());
  const moved = result.derivatives.logProb?.flatMap((row) => [...row]) ?? [];
  expect(moved.some((slope) => slope !== 0)).toBe(true);
});

test("control: no two formulas agree here, and none agrees with the unmasked loss", () => {
  const plain = [MINIBATCH, EVEN].map((minibatch) => slopes(inner.compute(minibatch, CONTEXT)));
  const all = [...plain, ...CASES.map(([, , expected]) => slopes(expected()))];
  expect(new Set(all).size).toBe(all.length);
});

test("a mask is listed with the loss that it wraps", () => {
  const { names } = stageWith(parts.outlierVeto(parts.icePop(parts.dualClip())));
  expect(names).toEqual(["veto", "icepop", "dual-clip"]);
});

test("a sequence-level ratio accepts weights per sequence, not per token", () => {
  const whole = parts.sequenceBand(parts.geometricMean(), 0.8, 1.25);
  expect(Number.isFinite(whole.compute(EVEN, CONTEXT).loss)).toBe(true);
  // @ts-expect-error token weights around a sequence-level loss
  const partial = parts.tokenBand(parts.geometricMean(), 0.9, 1.2);
  // The same without type checks, and for advantages that differ by token.
  for (const [loss, minibatch] of [
    [partial, EVEN],
    [parts.geometricMean(), MINIBATCH],
    [parts.offPolicyMask(inner, 0.05), MINIBATCH],
  ] as const) {
    expect(() => loss.compute(minibatch, CONTEXT)).toThrow(
      /needs one (weight|advantage) per sequence/,
    );
  }
});
