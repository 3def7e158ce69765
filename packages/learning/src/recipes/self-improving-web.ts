/**
 * Self-improving web agents: the policy learns from its own successes, in fixed shares, round after
 * round.
 *
 * Source: "Large Language Models Can Self-Improve At Web Agent Tasks" (S200).
 * Differs from it: a success is the verifier's word, not the absence of errors; no tasks made up by
 * the model.
 * Why: a rollout without errors can still be wrong, and tasks that a model makes up have no verifier.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const selfImprovingWeb: CreateRecipe = recipe({
  name: "self-improving-web",
  literature: "Self-improving web",
  differs: [
    "a success is the verifier's word, not the absence of errors",
    "no tasks made up by the model",
  ],
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
