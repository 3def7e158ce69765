/** Mistakes in the composition of stages and in updates. */
import { type Mutant, mutantsOf } from "./mutant.ts";

const LEARNING = "packages/learning/src";
const COMPOSITION = `${LEARNING}/composition`;
const UPDATES = "trainer/src/update";
const COMPOSED = [`${COMPOSITION}/minibatch.test.ts`];
const UPDATED = [`${UPDATES}/stage-update.test.ts`];

export const UPDATE_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(`${COMPOSITION}/minibatch.ts`, COMPOSED, [
    [
      "rows-without-loss-stay",
      "return counts || paired.has(rewarded.trajectory.id)",
      'return counts || !paired.has("")',
      "rows without a loss token are read",
    ],
    [
      "pairs-lose-their-rows",
      "return counts || paired.has(rewarded.trajectory.id)",
      'return counts && !paired.has("")',
      "a pair's row without a loss token is gone",
    ],
    [
      "pairs-reversed",
      "place.get(chosen) as number,\n      place.get(rejected) as number,",
      "place.get(rejected) as number,\n      place.get(chosen) as number,",
      "the rejected one is chosen",
    ],
    [
      "token-weights-lost",
      "weights: rows.map(({ rewarded, index }) => rewarded.tokenWeights[index] as ArrayLike<number>),",
      "weights: rows.map(({ rewarded, index }) => Array.from(rewarded.tokenWeights[index] ?? [], () => 1)),",
      "weights of filters have no effect",
    ],
    [
      "aggregation-ignored",
      "shares: tokenShares(aggregation, {",
      'shares: tokenShares({ kind: "token-mean" }, {',
      "every recipe takes the mean over tokens",
    ],
  ]),
  ...mutantsOf(`${COMPOSITION}/reward-groups.ts`, COMPOSED, [
    [
      "filters-see-all",
      "kept = filtered.groups;",
      "kept = stage.filters.at(-1) === filter ? filtered.groups : kept;",
      "a filter's choice is forgotten by the next",
    ],
    [
      "pairs-forgotten",
      "pairs = filtered.pairs ?? pairs;",
      "pairs = filtered.pairs ?? [];",
      "a later filter drops the pairs",
    ],
    [
      "reasons-forgotten",
      "dropped.set(id, reason);",
      "dropped.size === 0 && dropped.set(id, reason);",
      "only one reason is kept",
    ],
  ]),
  ...mutantsOf(`${COMPOSITION}/reward-groups.ts`, UPDATED, [
    [
      "reward-weights-unscheduled",
      "{ ...context, rewardWeights: settingsAt(stage, context).rewardWeights }",
      "{ ...context }",
      "scheduled reward weights reach no reward",
    ],
    [
      "lone-trajectories-stay",
      "kept.filter((group) => !alone.has(group))",
      "kept.filter((group) => !alone.has(group) || group)",
      "a trajectory without siblings has no baseline",
    ],
    [
      "filter-state-unseen",
      "state: { ...context.state, ...state },",
      "state: context.state,",
      "a filter does not see what the one before left",
    ],
    [
      "filter-state-lost",
      "state = { ...state, ...filtered.state };",
      "state = { ...filtered.state, ...state };",
      "the first filter's state wins",
    ],
  ]),
  ...mutantsOf(
    `${COMPOSITION}/stage.ts`,
    [...COMPOSED, ...UPDATED],
    [
      [
        "schedule-forgets",
        "(settings, part) => part.at(settings, context), stage.settings)",
        "(_, part) => part.at(stage.settings, context), stage.settings)",
        "a schedule part does not see the one before",
      ],
      [
        "state-starts-over",
        "initial === undefined || part in values ? []",
        "initial === undefined || part in {} ? []",
        "each stage begins its state anew",
      ],
      [
        "loss-weights-lost",
        `"loss" in part ? part : { loss: part, weight: 1 }`,
        `"loss" in part ? { ...part, weight: 1 } : { loss: part, weight: 1 }`,
        "summed losses weigh alike",
      ],
    ],
  ),
  ...mutantsOf(`${UPDATES}/stage-update.ts`, UPDATED, [
    [
      "writes-from-old-attempts",
      "trajectories: trajectories.filter(({ trajectory }) => own.has(trajectory.id)),",
      "trajectories: trajectories.filter(({ trajectory }) => own.size > 0 || own.has(trajectory.id)),",
      "texts are written from rollouts that were credited before",
    ],
    [
      "kl-state-lost",
      "...estimated.state, ...kl.state },",
      "...estimated.state },",
      "the weight of a KL budget stays where it began",
    ],
    [
      "observations-lost",
      "state: { ...changed, ...observed(stage, whole, seen), ",
      "state: { ...changed, ...(observed(stage, whole, seen), {}), ",
      "what filters observe of the model is forgotten",
    ],
  ]),
  ...mutantsOf(`${COMPOSITION}/stage-loss.ts`, UPDATED, [
    [
      "loss-weights-ignored",
      "return weight === 1 ? result : scaleLoss(result, weight);",
      "return weight === 1 ? result : (scaleLoss(result, weight), result);",
      "weights of summed losses are ignored",
    ],
    [
      "kl-term-dropped",
      "...(kl === null ? [] : [kl])",
      "...(kl === null ? [] : [])",
      "a KL term in the loss has no effect",
    ],
  ]),
  ...mutantsOf(`${UPDATES}/optimizer-steps.ts`, UPDATED, [
    [
      "own-policy-as-proximal",
      "...fixed,\n    policyLogProbs: outputs.logProb,",
      "...fixed,\n    proximalLogProbs: outputs.logProb,\n    policyLogProbs: outputs.logProb,",
      "a second epoch takes its own policy as proximal",
    ],
    [
      "one-epoch-always",
      "epoch < settings.epochs; epoch += 1",
      "epoch < Math.min(1, settings.epochs); epoch += 1",
      "further epochs are not taken",
    ],
    [
      "outputs-of-the-start",
      "const isUnmoved = taken === 0 && fast === null;",
      "const isUnmoved = taken === 0 || fast === null;",
      "a second epoch does not see what the first moved",
    ],
    [
      "epoch-not-told",
      "epoch: { taken, of }",
      "epoch: { taken: 0 * taken, of }",
      "losses do not know which epoch it is",
    ],
    [
      "proximal-as-behavior",
      "const fixed = { ...own, ...fixedRowsOf(update.fixed, range) };",
      "const kept = fixedRowsOf(update.fixed, range);\n      const fixed = { ...own, ...kept, behaviorLogProbs: kept.proximalLogProbs };",
      "what sampled is taken for what is trained",
    ],
    [
      "value-derivatives-unshifted",
      'values: stage.trains === "rm" ? values : values?.map(afterTokens),',
      'values: stage.trains === "rm" ? values : (afterTokens, values),',
      "a critic's derivative lands one token late",
    ],
    [
      "values-unshifted",
      "values: isRewardModel ? outputs.values : outputs.values?.map(beforeTokens),",
      "values: isRewardModel ? outputs.values : outputs.values,",
      "a critic speaks after the token that it judges",
    ],
    [
      "frozen-parameters-move",
      "(name) => chosen.has(name)),\n  );\n  return result;",
      "(name) => chosen.has(name) || true),\n  );\n  return result;",
      "parameters outside a loss's choice move",
    ],
    [
      "stops-too-late",
      "const entropy = entropyBonusLoss(minibatch, 0, minibatch).metrics;\n      signal.throwIfAborted();",
      "const entropy = entropyBonusLoss(minibatch, 0, minibatch).metrics;",
      "an update that is called off still takes its step",
    ],
    [
      "rate-of-the-stage",
      "optimizerStep(engine, stage, settings.learningRate, context)",
      "optimizerStep(engine, stage, stage.settings.learningRate, context)",
      "a scheduled learning rate has no effect",
    ],
  ]),
  ...mutantsOf(`${LEARNING}/kl/kl-term.ts`, UPDATED, [
    [
      "kl-in-reward-wrong-sign",
      "total: rewarded.reward.total + (paid.get(rewarded.trajectory.id) ?? 0),",
      "total: rewarded.reward.total - (paid.get(rewarded.trajectory.id) ?? 0),",
      "leaving the reference is paid",
    ],
    [
      "kl-coefficient-ignored",
      "klLoss({ ...minibatch, referenceLogProbs }, coefficientOf(stage, state), form, minibatch)",
      "klLoss({ ...minibatch, referenceLogProbs }, 1 + 0 * coefficientOf(stage, state), form, minibatch)",
      "the KL term weighs 1",
    ],
    [
      "kl-budget-of-nobody",
      "{ kl: referenceKl, samples }",
      "{ kl: 0 * referenceKl, samples }",
      "the weight falls whatever the divergence",
    ],
  ]),
  ...mutantsOf(`${UPDATES}/estimated-advantages.ts`, UPDATED, [
    [
      "values-after-tokens",
      "values: byTrajectory(rows, values.map(beforeTokens)),",
      "values: byTrajectory(rows, values.map((row) => row)),",
      "estimators see the value after each token",
    ],
  ]),
  ...mutantsOf(`${UPDATES}/role-engine.ts`, UPDATED, [
    [
      "tokens-of-all-owners",
      "owns: (b, t) => owners[b]?.[t] === role,",
      "owns: (b) => owners[b]?.includes(role) === true,",
      "every role answers for all tokens of a row",
    ],
    [
      "all-roles-learn",
      "learns: learn.includes(role),",
      "learns: learn.length > 0,",
      "roles that a stage leaves alone are trained",
    ],
  ]),
  ...mutantsOf(`${UPDATES}/merge-update.ts`, UPDATED, [
    [
      "members-in-a-row",
      "if (!isResumed) await engine.load(start);",
      "void isResumed;",
      "a member begins where the one before ended",
    ],
  ]),
];
