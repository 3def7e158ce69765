/** Imitation of tasks in other forms: with missing tools, questions, tutorials, users. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { toolErrors } from "../../composition/judged-trajectory.ts";
import type { RewardedTrajectory } from "../../composition/part.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { ownModel } from "../../states/resources.ts";
import { visitedDemos } from "../../rollouts/demonstrations.ts";

/**
 * AgentAlign: each task comes with its twin that must be refused; what passes its own check is
 * learned, both in set shares.
 *
 * Source: "AgentAlign: Navigating Safety Alignment in the Shift from Informative to Agentic Large
 * Language Models" (S037).
 * Differs from it: the harmful twin is the same request where calls are forbidden, not another one
 * of the same chain; a check is the verifier of the task or of its twin.
 * Why: nothing in these environments harms, so that the verifier of the twin is the only judge of a refusal.
 */
const agentAlign: CreateRecipe = recipe({
  name: "agent-align",
  literature: "AgentAlign",
  differs: [
    "the harmful twin is the same request where calls are forbidden, not another one of the same chain",
    "a check is the verifier of the task or of its twin",
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
 * Agent-FLAN: demonstrations taken apart by the capability that they show, mixed in set shares,
 * with negative samples whose tools are missing.
 *
 * Source: "Agent-FLAN: Designing Data and Methods of Effective Agent Tuning for Large Language
 * Models" (S033).
 * Differs from it: capabilities are read off a demonstration: it goes on after a failed call, or
 * needs no second one; shares are settings, not measured by how fast each is learned; the format of
 * a chat is kept.
 * Why: no data set of labelled capabilities is there, and a nano model reads one format.
 */
const agentFlan: CreateRecipe = recipe({
  name: "agent-flan",
  literature: "Agent-FLAN",
  differs: [
    "capabilities are read off a demonstration: it goes on after a failed call, or needs no second one",
    "shares are settings, not measured by how fast each is learned",
    "the format of a chat is kept",
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
 * AgentPS: a task taken apart into questions over several rounds, whose answers are supervised as
 * well as the last one.
 *
 * Source: "AgentPS: Agentic Process Supervision for Multi-modal Content Quality Assurance through
 * Multi-round QA" (S062).
 * Differs from it: the intermediate questions are which tool and with what, their labels the
 * demonstrator's; text alone.
 * Why: the demonstrator knows its own next call, which is a label that costs nothing.
 */
const agentPs: CreateRecipe = recipe({
  name: "agent-ps",
  literature: "AgentPS",
  differs: [
    "the intermediate questions are which tool and with what, their labels the demonstrator's",
    "text alone",
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
 * AgentScaler: a general phase over many simulated environments of tools, then a phase in one domain;
 * only verified runs are learned.
 *
 * Source: "Towards General Agentic Intelligence via Environment Scaling" (S333).
 * Differs from it: the general training environments are the built-in ones other than the target, drawn by seed, and not
 * built from a bank of APIs; runs are a demonstrator's.
 * Why: there is no bank of APIs; environments that generators draw have exact verifiers.
 */
const agentScaler: CreateRecipe = recipe({
  name: "agent-scaler",
  literature: "AgentScaler",
  differs: [
    "the general training environments are the built-in ones other than the target, drawn by seed, and not built from a bank of APIs",
    "runs are a demonstrator's",
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
 * DiaFORGE: dialogues in which what is missing is asked for and the right one of tools that look
 * alike is called.
 *
 * Source: "Disambiguation-Centric Finetuning Makes Enterprise Tool-Calling LLMs More Realistic and
 * Less Risky" (S128).
 * Differs from it: the user is the environment's, which speaks where an environment has one; near-
 * duplicates are twins of a tool under nearly its name.
 * Why: a user by rule says the same again to every policy that is compared.
 */
const diaForge: CreateRecipe = recipe({
  name: "dia-forge",
  literature: "DiaFORGE",
  differs: [
    "the user is the environment's, which speaks where an environment has one",
    "near-duplicates are twins of a tool under nearly its name",
  ],
  mechanism: "partial",
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
 * Synatra: how-tos are made into demonstrations; what they would have seen is imagined.
 *
 * Source: "Synatra: Turning Indirect Knowledge into Direct Demonstrations for Digital Agents at
 * Scale" (S314).
 * Differs from it: a how-to is written by rule, with examples of another task's results; a model
 * neither writes nor checks the demonstration.
 * Why: no language model rewrites web pages here; a rule writes the same in every run.
 */
const synatra: CreateRecipe = recipe({
  name: "synatra",
  literature: "Synatra",
  differs: [
    "a how-to is written by rule, with examples of another task's results",
    "a model neither writes nor checks the demonstration",
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
 * WebEvolver: an agent and a model of its environment that are trained together, round by round: the agent from
 * its successes, the model from what calls came to, and the agent again from its successes in the model.
 *
 * Source: "WebEvolver: Enhancing Web Agent Self-Improvement with Coevolving World Model" (S355).
 * Differs from it: agent and world model are one model in two roles; the calls that the world model
 * learns from are a demonstrator's with mistakes; no look-ahead at test time.
 * Why: one base is what pages hold, and a look-ahead would be paid at every turn of a visitor.
 */
const webEvolver: CreateRecipe = recipe({
  name: "web-evolver",
  literature: "WebEvolver",
  differs: [
    "agent and world model are one model in two roles",
    "the calls that the world model learns from are a demonstrator's with mistakes",
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
