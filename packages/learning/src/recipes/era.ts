/**
 * ERA: dense pay along the way and one unit of credit a turn, after a start from demonstrations.
 *
 * Source: "ERA: Transforming VLMs into Embodied Agents via Embodied Prior Learning and Online
 * Reinforcement Learning" (S144).
 * Differs from it: no summaries in the context; the critic leaves the adapter to the policy.
 * Why: trajectories fit the context, and a critic's gradient in the adapter that both share made the policy
 * unlearn.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const era: CreateRecipe = recipe({
  name: "era",
  literature: "ERA",
  differs: [
    "token-mean over the minibatch",
    "no summaries in the context",
    "the critic leaves the adapter to the policy",
  ],
  schedule: ["sft-rl"],
  settings: { epsilon: 0.2, lambda: 0.95, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ epsilon, lambda, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.weighted([
        [parts.outcome(), { standard: 0.5 }],
        [parts.progress(), { standard: 0.5 }],
      ]),
      advantage: parts.gaeStep({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic("turns"), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
