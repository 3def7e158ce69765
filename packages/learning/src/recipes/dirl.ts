/**
 * DIRL: runs of specialists at easy tasks first, then successes of all teachers at all tasks, then
 * reinforcement there.
 *
 * Source: "SpaceTools: Tool-Augmented Spatial Reasoning via Double Interactive RL" (S309).
 * Differs from it: specialists are teachers at the easiest level, not one a tool.
 * Why: one demonstrator knows all tools of an environment.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { teacherStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const dirl: CreateRecipe = recipe({
  name: "dirl",
  literature: "DIRL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "specialists are teachers at the easiest level, not one a tool",
  ],
  schedule: ["skill-first"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    secondMistakes: 0.3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, secondMistakes }) => [
    ...[{ name: "specialists", tasks: { difficulty: 0 } }, { name: "all tools" }].map((part) =>
      teacherStart({
        ...part,
        filters: [parts.success()],
        steps: startSteps,
        learningRate,
        secondMistakes,
      }),
    ),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});
