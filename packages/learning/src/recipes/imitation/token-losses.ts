/** Imitation with another loss, or with a loss on chosen turns. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { JudgedTrajectory, JudgedTurn } from "../../composition/judged-trajectory.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * DFT: scales the loss of each token by its own probability, without a gradient through the scale.
 *
 * Source: Wu et al. 2025, "On the Generalization of SFT: A Reinforcement Learning Perspective with Reward
 * Rectification" (S245).
 * Differs from it: nothing.
 * Why: the formula needs nothing else.
 */
const dft: CreateRecipe = recipe({
  name: "dft",
  literature: "DFT",
  differs: [],
  mechanism: "whole",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({ steps, learningRate, loss: parts.dft() }),
  ],
});

const calls = ({ toolCalls }: JudgedTurn): boolean => toolCalls.length > 0;

/**
 * MORepair: two objectives with their own weights: the action, and the text that explains it.
 *
 * Source: "Multi-Objective Fine-Tuning for Enhanced Program Repair with LLMs" (S241).
 * Differs from it: the patch is a turn with a call, and the reason is a turn with text.
 * Why: the environments have calls where the paper has patches.
 */
const moRepair: CreateRecipe = recipe({
  name: "mo-repair",
  literature: "MORepair",
  differs: ["the patch is a turn with a call, and the reason is a turn with text"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { weight: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ weight, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [
        parts.spanMask(parts.crossEntropy(), calls),
        { loss: parts.auxiliaryTurns((turn) => !calls(turn)), weight },
      ],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

function isCritical(turn: JudgedTurn, { turns }: JudgedTrajectory): boolean {
  const before = turns[turns.indexOf(turn) - 1];
  return before === undefined || before.toolResults.some(({ ok }) => !ok);
}

/**
 * ATLaS: the loss covers only critical steps; the rest of a trajectory is context.
 *
 * Source: "ATLaS: Agent Tuning via Learning Critical Steps" (S087).
 * Differs from it: critical steps are the first one and those after a failure, while the paper uses a larger model
 * to choose.
 * Why: there is no larger model, and both kinds of step are visible in the record.
 */
const atlas: CreateRecipe = recipe({
  name: "atlas",
  literature: "ATLaS",
  differs: [
    "critical steps are the first one and those after a failure, while the paper uses a larger model to choose",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      filters: [parts.stepMask(isCritical)],
      loss: parts.maskedCrossEntropy(isCritical),
    }),
  ],
});

/**
 * AgentRefine: imitates trajectories in which a mistake was corrected, without imitating the mistake.
 *
 * Source: "AgentRefine: Enhancing Agent Generalization through Refinement Tuning" (S064).
 * Differs from it: the teacher makes its own mistakes instead of being prompted for them; a mistake is a turn with
 * a failed call or without a readable action.
 * Why: a demonstrator's mistakes are drawn by seed, and there is no model to prompt for them.
 */
const agentRefine: CreateRecipe = recipe({
  name: "agent-refine",
  literature: "AgentRefine",
  differs: [
    "the teacher makes its own mistakes instead of being prompted for them",
    "a mistake is a turn with a failed call or without a readable action",
  ],
  mechanism: "whole",
  schedule: ["sft"],
  settings: { mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos(),
      filters: [parts.verify(), parts.stepMask()],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.maskedCrossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

const PROMPTS = ["Be brief.", "Think of what each call gives.", "Put mistakes right."];

/**
 * Contextual fine-tuning: puts a prompt about learning before each sample; the prompt carries no loss.
 *
 * Source: "Teaching LLMs How to Learn with Contextual Fine-Tuning" (S318).
 * Differs from it: three prompts in turn, as sentences of the system message.
 * Why: three sentences fit the context of a nano model.
 */
const contextualFineTuning: CreateRecipe = recipe({
  name: "contextual-fine-tuning",
  literature: "Contextual fine-tuning",
  differs: ["three prompts in turn, as sentences of the system message"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.toldDemos(PROMPTS, { mistakes }),
      losses: [parts.maskedCrossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * Early Experience: before imitation, the policy tries its own alternative actions and learns the environment's
 * responses, without a reward.
 *
 * Source: "Agent Learning via Early Experience" (S027).
 * Differs from it: alternatives branch off the policy's own trajectories, not the expert's; no reflections on the
 * expert's choice.
 * Why: the policy must improve in the states that it reaches itself, and a nano model cannot write reflections.
 */
const earlyExperience: CreateRecipe = recipe({
  name: "early-experience",
  literature: "Early Experience",
  differs: [
    "alternatives branch off the policy's own trajectories, not the expert's",
    "no reflections on the expert's choice",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { size: 4, whole: 2, worldSteps: 10, steps: 25, learningRate: 3e-3 },
  stages: ({ size, whole, worldSteps, steps, learningRate }) => [
    tokenStage({
      name: "world",
      rollout: parts.branchVine(size, whole),
      losses: [parts.auxiliaryObservations()],
      steps: worldSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    demonstrationStart({ steps, learningRate }),
  ],
});

const isSpecialist = ({ toolCalls }: JudgedTurn): boolean => toolCalls.length > 0;

/**
 * CastFlow: trains only the specialist role, in imitation and in reinforcement learning; planning and summarizing
 * stay frozen.
 *
 * Source: "CastFlow: Learning Role-Specialized Agentic Workflows for Time Series Forecasting" (S105).
 * Differs from it: the specialist takes the turns with calls, in one conversation.
 * Why: one conversation needs no second context, and every record shows which turns have calls.
 */
const castFlow: CreateRecipe = recipe({
  name: "cast-flow",
  literature: "CastFlow",
  differs: ["the specialist takes the turns with calls, in one conversation"],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 5, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      filters: [parts.stepMask(isSpecialist)],
    }),
    groupReinforcement({
      groupSize,
      loss: parts.spanMask(parts.pgClip(epsilon), isSpecialist),
      steps,
      learningRate,
    }),
  ],
});

export const TOKEN_LOSS_RECIPES: readonly CreateRecipe[] = [
  dft,
  moRepair,
  atlas,
  agentRefine,
  contextualFineTuning,
  earlyExperience,
  castFlow,
];
