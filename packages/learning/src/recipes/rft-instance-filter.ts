/**
 * RFT with instance filter: continual tuning in which tasks whose trajectories all score alike are left
 * out.
 *
 * Source: "Reinforcement Fine-Tuning Naturally Mitigates Forgetting in Continual Post-Training"
 * (S281).
 * Differs from it: rounds over one environment, not over several.
 * Why: an environment has a base of its own: rounds over several would begin anew.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const rftInstanceFilter: CreateRecipe = recipe({
  name: "rft-instance-filter",
  literature: "RFT with instance filter",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "rounds over one environment, not over several",
  ],
  schedule: ["rounds"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, rounds: 2 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});
