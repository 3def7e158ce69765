/**
 * The stage that trains a reward model. The verifier judges demonstrations with mistakes, and the model learns to
 * predict the outcome after each turn. Not a recipe.
 */
import { rewardModelStage, type Stage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

type OutcomeModel = {
  readonly steps: number;
  readonly learningRate: number;
  /** Share of the demonstrator's decisions made at random; default 0.35: about half of them fail. */
  readonly mistakes?: number;
  /** Where the model speaks; default after each turn. */
  readonly at?: "end" | "turns";
};

export function outcomeModel({ steps, learningRate, mistakes = 0.35, at }: OutcomeModel): Stage {
  return rewardModelStage({
    name: "reward-model",
    rollout: parts.demos(mistakes),
    reward: parts.outcome(),
    losses: [parts.outcomeRegression(at)],
    state: { rm: parts.rewardModelState },
    steps,
    settings: { tasksPerStep: 48, learningRate },
  });
}
