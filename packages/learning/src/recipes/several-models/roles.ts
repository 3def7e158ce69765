/** Roles that imitate their own turns. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { TurnPlace } from "../../composition/roles.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

const AUTO_ACT_ROLES = ["planner", "tool-user", "reflector"] as const;

function roleOf({ turn, results }: TurnPlace): string {
  if (turn === 0) return "planner";
  return results.some(({ ok }) => !ok) ? "reflector" : "tool-user";
}

/**
 * AutoAct: divides successful trajectories among a planner, a tool user and a reflector, each an adapter that is
 * trained on its own turns.
 *
 * Source: Qiao et al. 2024, "AUTOACT: Automatic Agent Learning from Scratch via Self-Planning", arXiv:2401.05268.
 * Differs from it: trajectories come from the demonstrator, not from the model's own plans; the planner takes the
 * first turn, and the reflector the turns after a failed call.
 * Why: a nano model cannot plan from scratch, and the record shows which turn belongs to which role.
 */
const autoAct: CreateRecipe = recipe({
  name: "auto-act",
  literature: "AutoAct",
  differs: [
    "trajectories come from the demonstrator, not from the model's own plans",
    "the planner takes the first turn, and the reflector the turns after a failed call",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      filters: [parts.success()],
      losses: [parts.maskedCrossEntropy()],
      state: { "role-adapters": parts.roleAdapters(AUTO_ACT_ROLES, { roleOf }) },
      steps,
      settings: { tasksPerStep: 48, learningRate },
    }),
  ],
});

const MEMBERS = ["generator", "critic", "judge"] as const;

/**
 * Multiagent fine-tuning: members of a debate answer in sequence, and each is trained on its own correct answers,
 * so that they stay different.
 *
 * Source: Subramaniam et al. 2025, "Multiagent Finetuning: Self Improvement with Diverse Reasoning Chains",
 * arXiv:2501.05707.
 * Differs from it: the verifier decides which answers are correct, not the majority.
 * Why: verifiers are exact, and a majority of nano models is not.
 */
const multiagentFineTuning: CreateRecipe = recipe({
  name: "multiagent-fine-tuning",
  literature: "Multiagent fine-tuning",
  differs: ["the verifier decides which answers are correct, not the majority"],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { debates: 4, steps: 6, rounds: 3, learningRate: 3e-3 },
  stages: ({ debates, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teamOf({ how: "relay", roles: MEMBERS, size: debates }),
      filters: [parts.success()],
      losses: [parts.crossEntropy()],
      state: { "role-adapters": parts.roleAdapters(MEMBERS) },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

const PREREQ_TUNE_ROLES = ["knowledge", "skill"] as const;

/**
 * Prereq-Tune: one adapter learns the required knowledge; the skill adapter starts from it and is the one that
 * stays.
 *
 * Source: Liu et al. 2025, "Fictitious Synthetic Data Can Improve LLM Factuality via Prerequisite Learning",
 * arXiv:2410.19290.
 * Differs from it: knowledge is which calls to make, and skill is answering with their results; the skill adapter
 * starts from the knowledge weights instead of being added to them.
 * Why: a nano model's knowledge is which calls exist, and pages load one adapter.
 */
const prereqTune: CreateRecipe = recipe({
  name: "prereq-tune",
  literature: "Prereq-Tune",
  differs: [
    "knowledge is which calls to make, and skill is answering with their results",
    "the skill adapter starts from the knowledge weights instead of being added to them",
  ],
  mechanism: "partial",
  schedule: ["stages"],
  settings: { knowledgeSteps: 8, steps: 15, learningRate: 3e-3 },
  stages: ({ knowledgeSteps, steps, learningRate }) =>
    PREREQ_TUNE_ROLES.map((role) =>
      tokenStage({
        name: role,
        rollout: parts.demos(),
        filters: [
          parts.stepMask(({ toolCalls }) => toolCalls.length > 0 === (role === "knowledge")),
        ],
        losses: [parts.crossEntropy()],
        state: {
          "role-adapters": parts.roleAdapters(PREREQ_TUNE_ROLES, {
            learn: [role],
            roleOf: () => role,
            ...(role === "skill" ? { copies: { skill: "knowledge" } } : {}),
          }),
        },
        steps: role === "knowledge" ? knowledgeSteps : steps,
        settings: { tasksPerStep: 32, learningRate },
      }),
    ),
});

/**
 * Momentum interpolation: a slow average of the weights follows fine-tuning and is the model in use.
 *
 * Source: Stojanovski et al. 2022, "Momentum-based Weight Interpolation of Strong Zero-Shot Models for Continual
 * Learning", arXiv:2211.03186.
 * Differs from it: adapters are averaged factor by factor; difficulty levels follow each other instead of datasets.
 * Why: pages load an adapter of the same rank, and an environment has levels instead of datasets.
 */
const momentumInterpolation: CreateRecipe = recipe({
  name: "momentum-interpolation",
  literature: "Momentum interpolation",
  differs: [
    "adapters are averaged factor by factor",
    "difficulty levels follow each other instead of datasets",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { decay: 0.9, steps: 10, rounds: 2, learningRate: 3e-3 },
  stages: ({ decay, steps, learningRate }) =>
    [0, 1].map((difficulty) =>
      tokenStage({
        name: difficulty === 0 ? "easy" : "all",
        rollout: parts.demos(),
        losses: [parts.crossEntropy()],
        state: { "slow-copy": parts.averagedCopy(decay) },
        steps,
        settings: { tasksPerStep: 32, learningRate, difficulty },
      }),
    ),
});

const CMAT_ROLES = ["assistant", "checker"] as const;

/**
 * CMAT: an assistant answers, and a checker reads the answer and answers again. Answers of either that the
 * environment confirmed are imitated by the one policy that plays both, and stored for similar requests.
 *
 * Source: Liang et al. 2024, "CMAT: A Multi-Agent Collaboration Tuning Framework for Enhancing Small Language
 * Models", arXiv:2404.01663.
 * Differs from it: the environment decides what is right, not the checker; the memory is text searched by shared
 * words; the task takes the place of the user.
 * Why: verifiers are exact, and a memory searched by words needs no second model.
 */
const cmat: CreateRecipe = recipe({
  name: "cmat",
  literature: "CMAT",
  differs: [
    "the environment decides what is right, not the checker",
    "the memory is text searched by shared words",
    "the task takes the place of the user",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { teams: 4, recalled: 2, least: 0.5, steps: 6, rounds: 3, learningRate: 3e-3 },
  stages: ({ teams, recalled, least, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teamOf({
        how: "relay",
        roles: CMAT_ROLES,
        size: teams,
        sentences: { checker: "Check the answer." },
      }),
      filters: [parts.remembered(least), parts.success()],
      reward: parts.outcome(),
      losses: [parts.crossEntropy()],
      state: { "memory-bank": parts.workingMemory(recalled) },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const ROLE_RECIPES: readonly CreateRecipe[] = [
  autoAct,
  multiagentFineTuning,
  prereqTune,
  momentumInterpolation,
  cmat,
];
