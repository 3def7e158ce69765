/** Mistakes in the formulas of policy losses. */
import { type Mutant, mutantsOf } from "./mutant.ts";

const LEARNING = "packages/learning/src";

export const POLICY_LOSS_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    `${LEARNING}/losses/policy/clipped-surrogate.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "pg-clip-without-upper-bound",
        "const bounds = { lower: given.epsilon, upper: given.epsilon };",
        "const bounds = { lower: given.epsilon, upper: 1e9 };",
        "good tokens are never clipped",
      ],
      [
        "clip-high-symmetric",
        `lossPart("clip-high", (minibatch) => clippedSurrogate(minibatch, bounds, minibatch)),`,
        `lossPart("clip-high", (minibatch) => clippedSurrogate(minibatch, { lower: bounds.lower, upper: bounds.lower }, minibatch)),`,
        "the upper bound is the lower one",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/dual-clip.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "dual-clip-without-ceiling",
        "dualClippedSurrogate(minibatch, bounds, ceiling, minibatch),",
        "dualClippedSurrogate(minibatch, bounds, 1e9, minibatch),",
        "a bad token costs without bound",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/two-sided-clip.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "two-sided-without-cap",
        "twoSidedSurrogate(minibatch, bounds, cap, minibatch)",
        "twoSidedSurrogate(minibatch, bounds, 1e9, minibatch)",
        "ratios above the cap go on",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/sequence-ratio.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "seq-ratio-of-tokens",
        "sequenceRatioSurrogate(minibatch, { lower, upper }, minibatch),",
        "clippedSurrogate(minibatch, { lower, upper }, minibatch),",
        "each token has its own ratio",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/cispo.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "cispo-without-bound",
        "cispoLoss(minibatch, { lowest, highest }, minibatch)",
        "cispoLoss(minibatch, { lowest, highest: 1e9 + highest }, minibatch)",
        "ratios above the bound weigh more",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/soft-gate.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "soft-gate-one-temperature",
        "softGatedSurrogate(minibatch, { positive, negative }, minibatch),",
        "softGatedSurrogate(minibatch, { positive, negative: positive }, minibatch),",
        "bad tokens fade as slowly as good ones",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/entropy-preserving-clip.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "sg-clip-preserves-nothing",
        `const preserved = { entropyThreshold, sides: "upper" } as const;`,
        `const preserved = { entropyThreshold: 1e9 + entropyThreshold, sides: "upper" } as const;`,
        "uncertain tokens keep no gradient",
      ],
      [
        "sg-clip-on-both-sides",
        `sides: "upper" } as const`,
        `sides: "both" } as const`,
        "bad tokens keep a gradient as well",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/reinforce.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "reinforce-is-clipped",
        "reinforceLoss(minibatch, minibatch)",
        "clippedSurrogate(minibatch, { lower: 0.2, upper: 0.2 }, minibatch)",
        "REINFORCE becomes PPO",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/covariance-penalty.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "kl-cov-does-not-pull",
        "          coefficient,\n          minibatch,",
        "          0,\n          minibatch,",
        "the penalty has no weight",
      ],
      [
        "kl-cov-pulls-all",
        "topCovarianceTokens(minibatch, share)",
        "topCovarianceTokens(minibatch, 1 + 0 * share)",
        "every token is pulled back",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/span-mask.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "span-mask-keeps-all",
        `(label) => label === "wanted"`,
        `(label) => label !== ""`,
        "turns that the rule leaves out count",
      ],
      [
        "span-mask-of-every-sample",
        "if (turn.sample !== minibatch.samples[row]) return [];",
        "",
        "turns of other samples open this row's tokens",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/trajectory-balance.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "tb-partition-of-batch",
        `partitionOf === "batch"`,
        `(partitionOf as string) !== ""`,
        "all tasks share one log Z",
      ],
      ["tb-ignores-beta", "reward.total / beta", "reward.total", "rewards are not tempered"],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/entropy-bonus.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "entropy-bonus-punishes",
        "entropyBonusLoss(minibatch, coefficient, minibatch)",
        "entropyBonusLoss(minibatch, -coefficient, minibatch)",
        "the bonus lowers entropy",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/policy/geometric-mean.ts`,
    [`${LEARNING}/losses/named-losses.test.ts`],
    [
      [
        "gmpo-ignores-weights",
        `ofSequences(minibatch, minibatch.weights, "gmpo", "weight")`,
        "undefined as never",
        "sequence weights have no effect",
      ],
    ],
  ),
];
