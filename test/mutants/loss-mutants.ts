/** Mistakes in how loss parts use their formulas. */
import { type Mutant, mutantsOf } from "./mutant.ts";

const PARTS = "packages/learning/src/parts";

export const LOSS_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    `${PARTS}/policy-losses.ts`,
    [`${PARTS}/policy-losses.test.ts`],
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
      [
        "dual-clip-without-ceiling",
        "dualClippedSurrogate(minibatch, bounds, ceiling, minibatch),",
        "dualClippedSurrogate(minibatch, bounds, 1e9, minibatch),",
        "a bad token costs without bound",
      ],
      [
        "two-sided-without-cap",
        "twoSidedSurrogate(minibatch, bounds, cap, minibatch)",
        "twoSidedSurrogate(minibatch, bounds, 1e9, minibatch)",
        "ratios above the cap go on",
      ],
      [
        "seq-ratio-of-tokens",
        "sequenceRatioSurrogate(minibatch, { lower, upper }, minibatch),",
        "clippedSurrogate(minibatch, { lower, upper }, minibatch),",
        "each token has its own ratio",
      ],
      [
        "cispo-without-bound",
        "cispoLoss(minibatch, { lowest, highest }, minibatch)",
        "cispoLoss(minibatch, { lowest, highest: 1e9 + highest }, minibatch)",
        "ratios above the bound weigh more",
      ],
      [
        "soft-gate-one-temperature",
        "softGatedSurrogate(minibatch, { positive, negative }, minibatch),",
        "softGatedSurrogate(minibatch, { positive, negative: positive }, minibatch),",
        "bad tokens fade as slowly as good ones",
      ],
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
      [
        "reinforce-is-clipped",
        "reinforceLoss(minibatch, minibatch)",
        "clippedSurrogate(minibatch, { lower: 0.2, upper: 0.2 }, minibatch)",
        "REINFORCE becomes PPO",
      ],
      [
        "tis-does-not-weigh",
        "const { weights } = weigh(minibatch, cap);\n          return loss.compute(weighed(minibatch, weights), context);",
        "weigh(minibatch, cap);\n          return loss.compute(minibatch, context);",
        "importance weights are computed and dropped",
      ],
      [
        "tis-without-cap",
        "weigh(minibatch, cap);",
        "weigh(minibatch, 1e9 + cap);",
        "weights are not truncated",
      ],
      [
        "tis-always-by-token",
        `const weigh = ratioOf === "token" ? truncatedImportanceWeights : truncatedSequenceWeights;`,
        `const weigh = ratioOf === "token" ? truncatedImportanceWeights : truncatedImportanceWeights;`,
        "a sequence's weight is its tokens'",
      ],
      [
        "cov-mask-masks-nothing",
        "const { weights } = covarianceMask(minibatch, options, context.random);\n          return loss.compute(weighed(minibatch, weights), context);",
        "covarianceMask(minibatch, options, context.random);\n          return loss.compute(minibatch, context);",
        "tokens of high covariance stay",
      ],
      [
        "kl-cov-does-not-pull",
        "coefficient,\n      minibatch,\n    ),\n  );\n}\n\n/**\n * `span-mask`",
        "0,\n      minibatch,\n    ),\n  );\n}\n\n/**\n * `span-mask`",
        "the penalty has no weight",
      ],
      [
        "kl-cov-pulls-all",
        "topCovarianceTokens(minibatch, share)",
        "topCovarianceTokens(minibatch, 1 + 0 * share)",
        "every token is pulled back",
      ],
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
      [
        "tb-partition-of-batch",
        `estimated === "batch" ? "batch" :`,
        `estimated !== "" ? "batch" :`,
        "all tasks share one log Z",
      ],
      ["tb-ignores-beta", "score.reward / beta", "score.reward", "rewards are not tempered"],
      [
        "entropy-bonus-punishes",
        "entropyBonusLoss(minibatch, coefficient, minibatch)",
        "entropyBonusLoss(minibatch, -coefficient, minibatch)",
        "the bonus lowers entropy",
      ],
    ],
  ),
  ...mutantsOf(
    `${PARTS}/loss-part.ts`,
    [`${PARTS}/policy-losses.test.ts`, `${PARTS}/named-losses.test.ts`],
    [
      [
        "weighed-forgets-weights-before",
        "weight * (weights[b]?.[t] ?? 0)",
        "0 * weight + (weights[b]?.[t] ?? 0)",
        "a second correction replaces the first",
      ],
    ],
  ),
  ...mutantsOf(
    `${PARTS}/off-policy-masks.ts`,
    [`${PARTS}/token-losses.test.ts`, `${PARTS}/named-losses.test.ts`],
    [
      [
        "masks-that-mask-nothing",
        "inner.compute(weighed(minibatch, correct(minibatch).weights), context)",
        "inner.compute((correct(minibatch), minibatch), context)",
        "no off-policy mask has an effect",
      ],
      [
        "token-band-unbounded",
        "tokenBandMask(minibatch, { lowest, highest })",
        "tokenBandMask(minibatch, { lowest: 0 * lowest, highest: 1e9 + highest })",
        "the band keeps every token",
      ],
      [
        "seq-band-by-mean",
        `{ lowest, highest }, "product")`,
        `{ lowest, highest }, "geometric-mean")`,
        "a sequence is judged by its mean ratio",
      ],
      [
        "geo-band-by-product",
        `{ lowest, highest }, "geometric-mean")`,
        `{ lowest, highest }, "product")`,
        "long sequences leave sooner",
      ],
      [
        "veto-of-nothing",
        "outlierVetoMask(minibatch, { lowest, highest })",
        "outlierVetoMask(minibatch, { lowest: 0 * lowest, highest: 1e9 + highest })",
        "absurd ratios stay",
      ],
      [
        "m2po-without-limit",
        "secondMomentMask(minibatch, limit)",
        "secondMomentMask(minibatch, 1e9 + limit)",
        "the second moment is not limited",
      ],
    ],
  ),
  ...mutantsOf(
    `${PARTS}/sequence-parts.ts`,
    [`${PARTS}/named-losses.test.ts`],
    [
      [
        "gmpo-ignores-weights",
        `ofSequences(minibatch, minibatch.weights, "gmpo", "weight")`,
        "undefined as never",
        "sequence weights have no effect",
      ],
      [
        "opsm-without-limit",
        "offPolicySequenceMask({ ...minibatch, sequenceAdvantages }, limit)",
        "offPolicySequenceMask({ ...minibatch, sequenceAdvantages }, 1e9 + limit)",
        "stale bad sequences stay",
      ],
    ],
  ),
  ...mutantsOf(
    `${PARTS}/log-linear.ts`,
    [`${PARTS}/engine-numbers.test.ts`],
    [
      [
        "log-linear-forgets-epochs",
        "{ proximal: 0, policy: epoch.taken }",
        "{ proximal: 0, policy: 0 * epoch.taken }",
        "the guess does not see that steps were taken",
      ],
    ],
  ),
  ...mutantsOf(
    `${PARTS}/preference-losses.ts`,
    [`${PARTS}/preference-losses.test.ts`],
    [
      [
        "dpo-without-beta",
        "{ beta: given.beta, noise }",
        "{ beta: 0.1, noise }",
        "β of one's own has no effect",
      ],
      ["kto-labels-swapped", "score.reward >= 0.5", "score.reward < 0.5", "failures are liked"],
      [
        "both-of-a-pair-imitated",
        "counts && chosen.has(row)",
        "counts && (chosen.has(row) || counts)",
        "the worse answer is imitated too",
      ],
      [
        "preferences-against-themselves",
        `referenceLogProbs: present(minibatch.referenceLogProbs, part, "a reference policy"),`,
        `referenceLogProbs: (present(minibatch.referenceLogProbs, part, "a reference policy"), minibatch.policyLogProbs),`,
        "the reference is the policy itself",
      ],
    ],
  ),
  ...mutantsOf(
    `${PARTS}/token-losses.ts`,
    [`${PARTS}/token-losses.test.ts`],
    [
      [
        "ce-mask-masks-nothing",
        `...onTurns("ce-mask", PLAIN, turnRule(lossTurns, isChosen)),`,
        `...(onTurns("ce-mask", PLAIN, turnRule(lossTurns, isChosen)), PLAIN),`,
        "failed turns are imitated",
      ],
      [
        "cond-ignores-returns",
        "weight * (ofRow[b] as number)",
        "weight * (0 * (ofRow[b] as number) + 1)",
        "all returns weigh alike",
      ],
      [
        "unlikelihood-of-right-turns",
        "(turn, trajectory) => !isRight(turn, trajectory),",
        "(turn, trajectory) => isRight(turn, trajectory),",
        "right turns are made less likely",
      ],
      [
        "param-subset-trains-all",
        "trains: choose }",
        "trains: (names) => new Set(names) }",
        "every parameter moves",
      ],
    ],
  ),
  ...mutantsOf(
    `${PARTS}/value-losses.ts`,
    [`${PARTS}/token-losses.test.ts`, `${PARTS}/critic-credit.test.ts`],
    [
      [
        "critic-of-turns-at-tokens",
        "counts && starts.has(t)",
        "counts && (starts.has(t) || counts)",
        "a critic of turns is fitted at every token",
      ],
    ],
  ),
];
