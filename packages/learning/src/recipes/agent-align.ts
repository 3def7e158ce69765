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
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentAlign: CreateRecipe = recipe({
  name: "agent-align",
  literature: "AgentAlign",
  differs: [
    "the harmful twin is the same request where calls are forbidden, not another one of the same chain",
    "a check is the verifier of the task or of its twin",
  ],
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
