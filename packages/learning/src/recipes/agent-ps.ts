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
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentPs: CreateRecipe = recipe({
  name: "agent-ps",
  literature: "AgentPS",
  differs: [
    "the intermediate questions are which tool and with what, their labels the demonstrator's",
    "text alone",
  ],
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
