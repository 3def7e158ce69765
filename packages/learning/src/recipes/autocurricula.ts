/**
 * Autocurricula: two sides compete, and that alone makes the curriculum: what one gains the other loses.
 *
 * Source: Baker et al. 2020, "Emergent Tool Use From Multi-Agent Autocurricula", arXiv:1909.07528.
 * Differs from it: a side has one member and wins by the better result at the same task, or by fewer calls;
 * nobody hides.
 * Why: the environments have tasks for one; a match at the same task is what two policies can have there.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
export const autocurricula: CreateRecipe = recipe({
  name: "autocurricula",
  literature: "Autocurricula",
  differs: [
    "a side has one member and wins by the better result at the same task, or by fewer calls",
    "nobody hides",
  ],
  schedule: ["one"],
  settings: { matches: 4, epsilon: 0.2, lambda: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ matches, epsilon, lambda, steps, learningRate }) => [
    rewardStage({
      rollout: parts.selfPlay(matches),
      reward: parts.matchOutcome(undefined, "team"),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
