/** Mistakes in corrections and in losses of demonstrated tokens, pairs and values. */
import { type Mutant, mutantsOf } from "./mutant.ts";

const LEARNING = "packages/learning/src";

export const LOSS_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    `${LEARNING}/corrections/importance-weights.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "tis-does-not-weigh",
        "const { weights, metrics } = weigh(minibatch, given.weightCap);\n          const result = loss.compute(withTokenWeights(minibatch, weights), context);",
        "const { metrics } = weigh(minibatch, given.weightCap);\n          const result = loss.compute(minibatch, context);",
        "importance weights are computed and dropped",
      ],
      [
        "tis-without-cap",
        "weigh(minibatch, given.weightCap);",
        "weigh(minibatch, 1e9 + given.weightCap);",
        "weights are not truncated",
      ],
      [
        "tis-always-by-token",
        `truncatedImportanceWeights : truncatedSequenceWeights;`,
        `truncatedImportanceWeights : truncatedImportanceWeights;`,
        "a sequence's weight is its tokens'",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/corrections/covariance-mask.ts`,
    [`${LEARNING}/losses/policy/policy-loss-parts.test.ts`],
    [
      [
        "cov-mask-masks-nothing",
        "const { weights } = covarianceMask(minibatch, options, context.random);\n          return loss.compute(withTokenWeights(minibatch, weights), context);",
        "covarianceMask(minibatch, options, context.random);\n          return loss.compute(minibatch, context);",
        "tokens of high covariance stay",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/loss-part.ts`,
    [
      `${LEARNING}/losses/policy/policy-loss-parts.test.ts`,
      `${LEARNING}/losses/named-losses.test.ts`,
    ],
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
    `${LEARNING}/corrections/corrected-loss.ts`,
    [
      `${LEARNING}/losses/imitation/token-losses.test.ts`,
      `${LEARNING}/losses/named-losses.test.ts`,
    ],
    [
      [
        "masks-that-mask-nothing",
        "inner.compute(withTokenWeights(minibatch, correct(minibatch).weights), context)",
        "inner.compute((correct(minibatch), minibatch), context)",
        "no off-policy mask has an effect",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/corrections/band-masks.ts`,
    [
      `${LEARNING}/losses/imitation/token-losses.test.ts`,
      `${LEARNING}/losses/named-losses.test.ts`,
    ],
    [
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
        "vetoOutliers(minibatch, { lowest, highest })",
        "vetoOutliers(minibatch, { lowest: 0 * lowest, highest: 1e9 + highest })",
        "absurd ratios stay",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/corrections/second-moment-mask.ts`,
    [
      `${LEARNING}/losses/imitation/token-losses.test.ts`,
      `${LEARNING}/losses/named-losses.test.ts`,
    ],
    [
      [
        "m2po-without-limit",
        "secondMomentMask(minibatch, limit)",
        "secondMomentMask(minibatch, 1e9 + limit)",
        "the second moment is not limited",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/corrections/divergence-masks.ts`,
    [`${LEARNING}/losses/named-losses.test.ts`],
    [
      [
        "opsm-without-limit",
        "offPolicySequenceMask({ ...minibatch, sequenceAdvantages }, limit)",
        "offPolicySequenceMask({ ...minibatch, sequenceAdvantages }, 1e9 + limit)",
        "stale bad sequences stay",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/corrections/log-linear-proximal.ts`,
    [`${LEARNING}/losses/engine-numbers.test.ts`],
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
    `${LEARNING}/losses/preference/dpo.ts`,
    [`${LEARNING}/losses/preference/preference-loss-parts.test.ts`],
    [
      [
        "dpo-without-beta",
        "{ beta: given.beta, noise }",
        "{ beta: 0.1, noise }",
        "β of one's own has no effect",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/preference/kto.ts`,
    [`${LEARNING}/losses/preference/preference-loss-parts.test.ts`],
    [["kto-labels-swapped", "reward.total >= 0.5", "reward.total < 0.5", "failures are liked"]],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/preference/chosen-cross-entropy.ts`,
    [`${LEARNING}/losses/preference/preference-loss-parts.test.ts`],
    [
      [
        "both-of-a-pair-imitated",
        "counts && chosen.has(row)",
        "counts && (chosen.has(row) || counts)",
        "the worse answer is imitated too",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/preference/preference-pairs.ts`,
    [`${LEARNING}/losses/preference/preference-loss-parts.test.ts`],
    [
      [
        "preferences-against-themselves",
        `referenceLogProbs: present(minibatch.referenceLogProbs, part, "a reference policy"),`,
        `referenceLogProbs: (present(minibatch.referenceLogProbs, part, "a reference policy"), minibatch.policyLogProbs),`,
        "the reference is the policy itself",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/imitation/supervised-loss.ts`,
    [`${LEARNING}/losses/imitation/token-losses.test.ts`],
    [
      [
        "ce-mask-masks-nothing",
        `...onTurns("ce-mask", PLAIN, turnRule(lossTurns, isChosen)),`,
        `...(onTurns("ce-mask", PLAIN, turnRule(lossTurns, isChosen)), PLAIN),`,
        "failed turns are imitated",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/imitation/hindsight.ts`,
    [`${LEARNING}/losses/imitation/token-losses.test.ts`],
    [
      [
        "cond-ignores-returns",
        "run?.reward.total ?? 1",
        "0 * (run?.reward.total ?? 1) + 1",
        "every run is told the highest return",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/imitation/unlikelihood.ts`,
    [`${LEARNING}/losses/imitation/token-losses.test.ts`],
    [
      [
        "unlikelihood-of-right-turns",
        "(turn, trajectory) => !isRight(turn, trajectory),",
        "(turn, trajectory) => isRight(turn, trajectory),",
        "right turns are made less likely",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/parameter-subset.ts`,
    [`${LEARNING}/losses/imitation/token-losses.test.ts`],
    [
      [
        "param-subset-trains-all",
        "trains: choose }",
        "trains: (names) => new Set(names) }",
        "every parameter moves",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/losses/value/value-loss.ts`,
    [
      `${LEARNING}/losses/imitation/token-losses.test.ts`,
      `${LEARNING}/advantages/critic-credit.test.ts`,
    ],
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
