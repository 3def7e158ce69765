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
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import { toolErrors } from "../composition/judged-trajectory.ts";
import type { RewardedTrajectory } from "../composition/part.ts";
import * as parts from "../parts/index.ts";

export const agentFlan: CreateRecipe = recipe({
  name: "agent-flan",
  literature: "Agent-FLAN",
  differs: [
    "capabilities are read off a demonstration: it goes on after a failed call, or needs no second one",
    "shares are settings, not measured by how fast each is learned",
    "the format of a chat is kept",
  ],
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
