/** Imitation of tasks in other forms: with missing tools, questions, tutorials, users. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { toolErrors } from "../../composition/judged-trajectory.ts";
import type { RewardedTrajectory } from "../../composition/part.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { ownModel } from "../../states/resources.ts";
import { visitedDemos } from "../../rollouts/demonstrations.ts";

/**
 * AgentAlign: pairs each task with a twin that must be refused; imitates demonstrations that pass their own check,
 * in fixed shares.
 *
 * Source: "AgentAlign: Navigating Safety Alignment in the Shift from Informative to Agentic Large Language Models"
 * (S037).
 * Differs from it: the harmful twin is the same request with calls forbidden, not another request of the same
 * chain; the check is the verifier of the task or of its twin.
 * Why: nothing in these environments is harmful, so only the twin's verifier can judge a refusal.
 */
const agentAlign: CreateRecipe = recipe({
  name: "agent-align",
  literature: "AgentAlign",
  differs: [
    "the harmful twin is the same request with calls forbidden, not another request of the same chain",
    "the check is the verifier of the task or of its twin",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { kept: 16, refused: 1, done: 1, mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, refused, done, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.formedDemos(["task", "forbidden"], mistakes),
      filters: [
        parts.verify(),
        parts.diversityMix(
          { forbidden: refused, policy: done },
          kept,
          ({ trajectory }) => trajectory.role,
        ),
      ],
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});

/**
 * Agent-FLAN: splits demonstrations by the capability that they show and mixes them in fixed shares, with negative
 * samples whose tools are missing.
 *
 * Source: "Agent-FLAN: Designing Data and Methods of Effective Agent Tuning for Large Language Models" (S033).
 * Differs from it: capabilities are detected in a demonstration: it continues after a failed call, or needs no
 * second one; shares are settings, not measured by learning speed; the chat format is kept.
 * Why: there is no dataset with labeled capabilities, and a nano model reads one format.
 */
const agentFlan: CreateRecipe = recipe({
  name: "agent-flan",
  literature: "Agent-FLAN",
  differs: [
    "capabilities are detected in a demonstration: it continues after a failed call, or needs no second one",
    "shares are settings, not measured by learning speed",
    "the chat format is kept",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { kept: 16, mistakes: 0.1, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.formedDemos(["task", "toolless"], mistakes),
      filters: [parts.diversityMix({ follow: 2, recover: 1, negative: 1 }, kept, capabilityOf)],
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});

function capabilityOf({ trajectory }: RewardedTrajectory): string {
  if (trajectory.role === "toolless") return "negative";
  return toolErrors(trajectory) > 0 ? "recover" : "follow";
}

/**
 * AgentPS: splits a task into questions over several rounds, and supervises all answers.
 *
 * Source: "AgentPS: Agentic Process Supervision for Multi-modal Content Quality Assurance through Multi-round QA"
 * (S062).
 * Differs from it: the intermediate questions ask for the next tool and its arguments, labeled by the
 * demonstrator; text only.
 * Why: the demonstrator knows its own next call, so the label is free.
 */
const agentPs: CreateRecipe = recipe({
  name: "agent-ps",
  literature: "AgentPS",
  differs: [
    "the intermediate questions ask for the next tool and its arguments, labeled by the demonstrator",
    "text only",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.formedDemos(["questioned"], mistakes),
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * AgentScaler: a general phase over many simulated tool environments, then a phase in one domain; imitates only
 * verified trajectories.
 *
 * Source: "Towards General Agentic Intelligence via Environment Scaling" (S333).
 * Differs from it: the general training environments are the built-in ones other than the target, drawn by seed,
 * and not built from a bank of APIs; trajectories come from a demonstrator.
 * Why: there is no bank of APIs, and generated environments have exact verifiers.
 */
const agentScaler: CreateRecipe = recipe({
  name: "agent-scaler",
  literature: "AgentScaler",
  differs: [
    "the general training environments are the built-in ones other than the target, drawn by seed, and not built from a bank of APIs",
    "trajectories come from a demonstrator",
  ],
  mechanism: "partial",
  schedule: ["stages"],
  settings: { mistakes: 0.2, generalSteps: 15, steps: 15, learningRate: 3e-3 },
  stages: ({ mistakes, generalSteps, steps, learningRate }) => [
    tokenStage({
      name: "general",
      rollout: parts.formedDemos(["general"], mistakes),
      filters: [parts.verify()],
      losses: [parts.crossEntropy()],
      state: { "world-model": parts.ownSimulator },
      steps: generalSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    tokenStage({
      name: "domain",
      rollout: parts.demos(mistakes),
      filters: [parts.verify()],
      losses: [parts.crossEntropy()],
      state: { "world-model": parts.ownSimulator },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * DiaFORGE: dialogues that ask for missing information and call the right one of several similar tools.
 *
 * Source: "Disambiguation-Centric Finetuning Makes Enterprise Tool-Calling LLMs More Realistic and Less Risky"
 * (S128).
 * Differs from it: the user is the environment's own, if it has one; near-duplicates are copies of a tool with a
 * similar name.
 * Why: a rule-based user treats every compared policy alike.
 */
const diaForge: CreateRecipe = recipe({
  name: "dia-forge",
  literature: "DiaFORGE",
  differs: [
    "the user is the environment's own, if it has one",
    "near-duplicates are copies of a tool with a similar name",
  ],
  mechanism: "partial",
  needs: ["user"],
  schedule: ["sft"],
  settings: { mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: visitedDemos("near-duplicates", mistakes),
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * Synatra: turns tutorials into demonstrations with imagined observations.
 *
 * Source: "Synatra: Turning Indirect Knowledge into Direct Demonstrations for Digital Agents at Scale" (S314).
 * Differs from it: a tutorial is written by rule, with example results from another task; no model writes or checks
 * the demonstration.
 * Why: there is no language model here to rewrite web pages, and a rule writes the same text in every run.
 */
const synatra: CreateRecipe = recipe({
  name: "synatra",
  literature: "Synatra",
  differs: [
    "a tutorial is written by rule, with example results from another task",
    "no model writes or checks the demonstration",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    tokenStage({
      rollout: parts.formedDemos(["tutorial"]),
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * WebEvolver: trains an agent and a world model together in rounds: the agent on its successes, the world model on
 * tool results, and the agent again on its successes in the world model.
 *
 * Source: "WebEvolver: Enhancing Web Agent Self-Improvement with Coevolving World Model" (S355).
 * Differs from it: agent and world model are one model in two roles; the world model learns from calls of a
 * demonstrator with mistakes; no look-ahead at test time.
 * Why: a page holds one base model, and a look-ahead would cost time at every turn of a visitor.
 */
const webEvolver: CreateRecipe = recipe({
  name: "web-evolver",
  literature: "WebEvolver",
  differs: [
    "agent and world model are one model in two roles",
    "the world model learns from calls of a demonstrator with mistakes",
    "no look-ahead at test time",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { rounds: 2, ownSteps: 5, modelSteps: 8, steps: 5, learningRate: 3e-3 },
  stages: ({ ownSteps, modelSteps, steps, learningRate }) => [
    tokenStage({
      name: "agent",
      rollout: parts.single(),
      filters: [parts.success()],
      losses: [parts.crossEntropy()],
      steps: ownSteps,
      settings: { tasksPerStep: 24, learningRate },
    }),
    tokenStage({
      name: "world model",
      rollout: parts.formedDemos(["world"]),
      losses: [parts.crossEntropy()],
      state: { "world-model": ownModel },
      steps: modelSteps,
      settings: { tasksPerStep: 24, learningRate },
    }),
    tokenStage({
      name: "in the model",
      rollout: parts.selfAnswered(1),
      filters: [parts.success()],
      losses: [parts.crossEntropy()],
      state: { "world-model": ownModel },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

export const TASK_FORM_RECIPES: readonly CreateRecipe[] = [
  agentAlign,
  agentFlan,
  agentPs,
  agentScaler,
  diaForge,
  synatra,
  webEvolver,
];
