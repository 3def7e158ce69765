/**
 * Multi-Agent Evolve: one model sets tasks, solves them and is paid by what a judge makes of it; no verifier
 * says who was right.
 *
 * Source: "Multi-Agent Evolve: LLM Self-Improve through Co-evolution", arXiv:2510.23595.
 * Differs from it: the judge is not the policy itself; how a task is set is demonstrated beside it, and one
 * that cannot be read is worth nothing.
 * Why: a policy that judges itself could agree with itself, and answers here are computed.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";

export const multiAgentEvolve: CreateRecipe = recipe({
  name: "multi-agent-evolve",
  literature: "Multi-Agent Evolve",
  differs: [
    "the judge is not the policy itself",
    "how a task is set is demonstrated beside it, and one that cannot be read is worth nothing",
  ],
  schedule: ["one"],
  settings: {
    proposals: 4,
    attempts: 4,
    epsilon: 0.2,
    shownWeight: 0.2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ proposals, attempts, epsilon, shownWeight, steps, learningRate }) => [
    rewardStage({
      rollout: parts.setAndSolve(proposals, attempts),
      reward: parts.frontier(parts.judge(callsAndResults)),
      advantage: parts.settersAndSolvers(),
      losses: [parts.pgClip(epsilon), { loss: parts.shownCrossEntropy(), weight: shownWeight }],
      state: { judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 4, learningRate },
    }),
  ],
});
