/** Imitation of what a check lets pass. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * T3-Agent: what two verifiers let pass is imitated, one of the task and one of the run.
 *
 * Source: "Multi-modal Agent Tuning: Building a VLM-Driven Agent for Efficient Tool Usage" (S240).
 * Differs from it: the verifier of the run asks that every turn could be read and that tools were
 * used.
 * Why: the models read text alone, and both can be read off any record.
 */
const t3Agent: CreateRecipe = recipe({
  name: "t3-agent",
  literature: "T3-Agent",
  differs: ["the verifier of the run asks that every turn could be read and that tools were used"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.verify(({ verification, turns }) => [
          verification.success,
          turns.some(({ toolCalls }) => toolCalls.length > 0) &&
            turns.every(({ parseError }) => parseError === null),
        ]),
      ],
    }),
  ],
});

/**
 * Search-Align: a chain is imitated where every hop of it was verified, not its answer alone.
 *
 * Source: "MC-Search: Evaluating and Enhancing Multimodal Agentic Search with Structured Long
 * Reasoning Chains" (S225).
 * Differs from it: a hop is verified where its calls ran.
 * Why: whether calls ran is in every record, and no model that checks hops fits into runs of minutes.
 */
const searchAlign: CreateRecipe = recipe({
  name: "search-align",
  literature: "Search-Align",
  differs: ["a hop is verified where its calls ran"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.verify(({ turns, verification }) => [
          verification.success,
          ...turns.map(({ toolResults }) => toolResults.every(({ ok }) => ok)),
        ]),
      ],
    }),
  ],
});

/**
 * SearchSwarm: only runs that succeeded are imitated.
 *
 * Source: "SearchSwarm: Towards Delegation Intelligence in Agentic LLMs for Long-Horizon Deep
 * Research" (S298).
 * Differs from it: what is delegated goes to tools.
 * Why: there are no sub-agents here.
 */
const searchSwarm: CreateRecipe = recipe({
  name: "search-swarm",
  literature: "SearchSwarm",
  differs: ["what is delegated goes to tools: there are no sub-agents here"],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({ steps, learningRate, mistakes: 0.3, filters: [parts.success()] }),
  ],
});

/**
 * TURA: a teacher's calls are distilled into an executor of tools; what it says in words is not.
 *
 * Source: "TURA: Tool-Augmented Unified Retrieval Agent for AI Search" (S339).
 * Differs from it: only the executor is built, not retrieval and planning.
 * Why: the environments bring their tools: there is nothing to retrieve.
 */
const tura: CreateRecipe = recipe({
  name: "tura",
  literature: "TURA executor",
  differs: ["only the executor is built, not retrieval and planning"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos(),
      filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0)],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * Self-improving web agents: the policy learns from its own successes, in fixed shares, round after
 * round.
 *
 * Source: "Large Language Models Can Self-Improve At Web Agent Tasks" (S200).
 * Differs from it: a success is the verifier's word, not the absence of errors; no tasks made up by
 * the model.
 * Why: a rollout without errors can still be wrong, and tasks that a model makes up have no verifier.
 */
const selfImprovingWeb: CreateRecipe = recipe({
  name: "self-improving-web",
  literature: "Self-improving web",
  differs: [
    "a success is the verifier's word, not the absence of errors",
    "no tasks made up by the model",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { kept: 24, rounds: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, steps, learningRate }) => [
    tokenStage({
      rollout: parts.single(),
      filters: [
        parts.success(),
        parts.diversityMix({ short: 1, long: 1 }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 48, learningRate },
    }),
  ],
});

/**
 * Meissa: the teacher is imitated only where the student fails.
 *
 * Source: "Meissa: Multi-modal Medical Agentic Intelligence" (S227).
 * Differs from it: two tiers: the student's own rollouts and the teacher's.
 * Why: no third model is there.
 */
const meissa: CreateRecipe = recipe({
  name: "meissa",
  literature: "Meissa",
  differs: ["two tiers: the student's own rollouts and the teacher's"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { students: 2, mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ students, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos({ students }),
      filters: [parts.studentFail()],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * EEF: runs that the expert failed are gone on from, and of what succeeds the parts without failures
 * are imitated.
 *
 * Source: "Exploring Expert Failures Improves LLM Agent Tuning" (S149).
 * Differs from it: places to go on from are drawn, not chosen; the expert is the environment's
 * demonstrator with mistakes.
 * Why: a place is as good as another in trajectories of a few turns, and no expert is there but the demonstrator.
 */
const eef: CreateRecipe = recipe({
  name: "eef",
  literature: "EEF",
  differs: [
    "places to go on from are drawn, not chosen",
    "the expert is the environment's demonstrator with mistakes",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { mistakes: 0.3, size: 4, rounds: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, size, steps, learningRate }) => [
    tokenStage({
      name: "expert",
      rollout: parts.teacherDemos(),
      filters: [parts.success(), parts.stepMask()],
      reward: parts.outcome(),
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.maskedCrossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    tokenStage({
      name: "failures",
      rollout: parts.prefixReplay("failed", size),
      filters: [parts.success(), parts.stepMask()],
      reward: parts.outcome(),
      losses: [parts.maskedCrossEntropy()],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const FILTERED_RECIPES: readonly CreateRecipe[] = [
  t3Agent,
  searchAlign,
  searchSwarm,
  tura,
  selfImprovingWeb,
  meissa,
  eef,
];
