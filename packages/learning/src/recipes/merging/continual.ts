/** Merging as a way to learn one task after another. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import {
  mergeStage,
  pairStage,
  rewardStage,
  type Stage,
  tokenStage,
} from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * Composable sparse fine-tuning: each model changes a different small subset of parameters, so that the changes can
 * be added.
 *
 * Source: Ansell et al. 2021, "Composable Sparse Fine-Tuning for Cross-Lingual Transfer", arXiv:2110.07560.
 * Differs from it: the subset is a kind of matrix, not the entries that a first training changed most; the factors
 * of adapters are merged, not their products.
 * Why: kinds of matrices are disjoint without a first training, and pages load an adapter of the same rank.
 */
const composableSparse: CreateRecipe = recipe({
  name: "composable-sparse",
  literature: "Composable sparse FT",
  differs: [
    "the subset is a kind of matrix, not the entries that a first training changed most",
    "the factors of adapters are merged, not their products",
  ],
  mechanism: "partial",
  schedule: ["post-merge"],
  settings: { scale: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ scale, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [
          demonstrationStart({
            name: "calls",
            steps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0)],
            loss: parts.parameterSubset(
              parts.crossEntropy(),
              (names) => new Set(names.filter((name) => name.includes("self_attn"))),
            ),
          }),
        ],
        [
          demonstrationStart({
            name: "answers",
            steps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length === 0)],
            loss: parts.parameterSubset(
              parts.crossEntropy(),
              (names) => new Set(names.filter((name) => name.includes("mlp"))),
            ),
          }),
        ],
      ],
      how: parts.addedDeltas(scale),
      state: { delta: parts.deltas },
    }),
  ],
});

type Task = {
  readonly isCall: boolean;
  readonly place: string;
  readonly steps: number;
  readonly learningRate: number;
};

function personalised({ isCall, place, steps, learningRate }: Task): Stage {
  return tokenStage({
    name: isCall ? "calls" : "answers",
    rollout: parts.demos(),
    filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0 === isCall)],
    losses: [
      parts.parameterSubset(
        parts.crossEntropy(),
        (names) => new Set(names.filter((name) => name.includes(place))),
      ),
    ],
    steps,
    settings: { tasksPerStep: 32, learningRate },
  });
}

/**
 * Low-rank continual personalization: learns task after task, each with a part of the adapter from the same start,
 * and keeps the changes orthogonal or averages them.
 *
 * Source: Staniszewski et al. 2024, "Low-Rank Continual Personalization of Diffusion Models", arXiv:2410.04891.
 * Differs from it: the tasks are calling and answering in one environment; the merged changes are made orthogonal,
 * not their starts; the part is a setting, not found by relevance.
 * Why: two halves of one environment are tasks that one base model can read, and measuring relevance would need
 * another run.
 */
const lowRankContinual: CreateRecipe = recipe({
  name: "low-rank-continual",
  literature: "Low-rank continual",
  differs: [
    "the tasks are calling and answering in one environment",
    "the merged changes are made orthogonal, not their starts",
    "the part is a setting, not found by relevance",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { isOrthogonal: true, place: "self_attn", rounds: 2, steps: 12, learningRate: 3e-3 },
  stages: ({ isOrthogonal, place, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [true, false].map((isCall) => [
        personalised({ isCall, place, steps, learningRate }),
      ]),
      how: isOrthogonal ? parts.orthogonalDeltas() : parts.averagedDeltas(),
      state: { delta: parts.deltas },
    }),
  ],
});

/** The difficulty of each domain. */
const DOMAINS = {
  faulty: { toolBudget: { from: 8, to: 8 }, turnBudget: { from: 9, to: 9 } },
  short: { toolBudget: { from: 2, to: 4 }, turnBudget: { from: 3, to: 5 } },
} as const;

/**
 * LongCat, DORA: trains one specialist per domain by reinforcement learning in noisy environments, with a stale
 * sampling policy, and merges the specialists into one model.
 *
 * Source: "LongCat-Flash-Thinking-2601 Technical Report" (S214).
 * Differs from it: the domains are variants of one environment, with failing tools or with fewer calls and turns;
 * the staleness is fixed; the specialists' weight changes are averaged.
 * Why: one built-in environment has these variants but no other domains; a fixed staleness can be repeated from a
 * seed.
 */
const longCat: CreateRecipe = recipe({
  name: "long-cat",
  literature: "LongCat / DORA",
  differs: [
    "the domains are variants of one environment, with failing tools or with fewer calls and turns",
    "the staleness is fixed",
    "the specialists' weight changes are averaged",
  ],
  mechanism: "partial",
  schedule: ["specialist-merge"],
  settings: { groupSize: 8, epsilon: 0.2, lag: 2, mostFaults: 0.3, steps: 12, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, lag, mostFaults, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: (["faulty", "short"] as const).map((domain) => {
        const faultRate = { from: 0, to: domain === "faulty" ? mostFaults : 0 };
        const environments = parts.randomEnvironments({ ...DOMAINS[domain], faultRate }, groupSize);
        return [
          rewardStage({
            name: domain,
            rollout: parts.asynchronous(environments),
            filters: [parts.mixedGroup()],
            reward: parts.outcome(),
            advantage: parts.groupAdvantage(),
            losses: [parts.pgClip(epsilon)],
            steps,
            settings: { tasksPerStep: 12, learningRate, lag },
          }),
        ];
      }),
      how: parts.averagedDeltas(),
      state: { delta: parts.deltas },
    }),
  ],
});

type Chain = {
  readonly textSteps: number;
  readonly startSteps: number;
  readonly steps: number;
  readonly learningRate: number;
};

function beforePreferences({ textSteps, startSteps, learningRate }: Chain): Stage[] {
  return [
    tokenStage({
      name: "text",
      rollout: parts.demos(),
      losses: [parts.languageModel()],
      steps: textSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    demonstrationStart({ steps: startSteps, learningRate }),
  ];
}

/** Several demonstrations of a task, some of them wrong: the pairs of both chains. */
const COMPARED = { size: 4, mistakes: 0.4 };

/**
 * CPT-SFT-DPO/ORPO with merging: raw text, demonstrations and preferences in order, once with each of two
 * preference losses; the two resulting models are merged.
 *
 * Source: Lu et al. 2024, "Fine-tuning large language models for domain adaptation: Exploration of training
 * strategies, scaling, model merging and synergistic capabilities", arXiv:2409.03444.
 * Differs from it: both chains use one domain; the factors of adapters are merged, not their products.
 * Why: an environment is one domain, and pages load an adapter of the same rank.
 */
const domainAdaptation: CreateRecipe = recipe({
  name: "domain-adaptation",
  literature: "CPT-SFT-DPO/ORPO-merge",
  differs: ["both chains use one domain", "the factors of adapters are merged, not their products"],
  mechanism: "partial",
  schedule: ["cpt-sft-pref", "post-merge"],
  settings: {
    beta: 0.1,
    oddsWeight: 0.1,
    margin: 0.5,
    textSteps: 4,
    startSteps: 6,
    steps: 15,
    learningRate: 3e-3,
  },
  stages: ({ beta, oddsWeight, margin, ...chain }) => {
    const pairs = {
      rollout: parts.toldDemos([""], COMPARED),
      filters: [parts.pairGap(margin)],
      reward: parts.preference(),
      steps: chain.steps,
      settings: { tasksPerStep: 16, learningRate: chain.learningRate },
    } as const;
    return [
      mergeStage({
        rollout: parts.weights(),
        members: [
          [
            ...beforePreferences(chain),
            pairStage({ ...pairs, losses: [parts.dpo(beta)], state: { ref: parts.reference } }),
          ],
          [...beforePreferences(chain), pairStage({ ...pairs, losses: [parts.orpo(oddsWeight)] })],
        ],
        how: parts.spherical(),
        state: { delta: parts.deltas },
      }),
    ];
  },
});

export const CONTINUAL_RECIPES: readonly CreateRecipe[] = [
  composableSparse,
  lowRankContinual,
  longCat,
  domainAdaptation,
];
