/** A model must be trained before it is used, by losses for that model. */
import { expect, test } from "vitest";
import * as parts from "../parts.ts";
import { recipe } from "./definition.ts";
import {
  processModelStage,
  rewardModelStage,
  rewardStage,
  type Stage,
  tokenStage,
} from "./stage.ts";

const model = rewardModelStage({
  rollout: parts.group(),
  filters: [parts.pairGap()],
  reward: parts.outcome(),
  losses: [parts.rank()],
  state: { rm: parts.rewardModelState },
});

const asking = rewardStage({
  rollout: parts.group(),
  reward: parts.rewardModel(),
  advantage: parts.groupAdvantage(),
  losses: [parts.pgClip()],
  state: { rm: parts.rewardModelState },
});

const recipeOf = (...stages: readonly Stage[]) =>
  recipe({
    name: "toy",
    literature: "PRFT",
    differs: [],
    schedule: [],
    settings: {},
    stages: () => stages,
  })();

test("a reward model must be trained before a stage uses it", () => {
  expect(recipeOf(model, asking).stages.map(({ trains }) => trains)).toEqual(["rm", "policy"]);
  expect(() => recipeOf(asking)).toThrow(
    /recipe toy: stage rewards uses rm, which no earlier stage trains/,
  );
  expect(() => recipeOf(asking, model)).toThrow(/add a stage before it that trains rm/);
});

test("a reward model's loss does not fit a policy stage, and the reverse", () => {
  const demonstrated = { rollout: parts.demos(), reward: parts.outcome() };
  const state = { rm: parts.rewardModelState };
  // @ts-expect-error a ranking of values trains no policy
  tokenStage({ ...demonstrated, losses: [parts.rank()], state });
  // @ts-expect-error cross-entropy trains no values
  rewardModelStage({ ...demonstrated, losses: [parts.crossEntropy()], state });
  // @ts-expect-error a reward by a model that the stage does not have
  rewardStage({ ...asking, reward: parts.rewardModel(), state: {} });
  // @ts-expect-error log-ratios to a reference that is not there
  processModelStage({ ...demonstrated, filters: [parts.pairGap()], losses: [parts.dpo()] });
  expect(model.losses[0]?.loss.of).toBe("rm");
});

test("the roles of a stage name what it trains", () => {
  const stage = (learn?: readonly string[]): Stage =>
    tokenStage({
      rollout: parts.demos(),
      losses: [parts.crossEntropy()],
      state: {
        "role-adapters": parts.roleAdapters(["a", "b"], learn === undefined ? {} : { learn }),
      },
    });
  expect(stage().trains).toBe("roles");
  expect(stage().state["role-adapters"]?.roles?.learn).toEqual(["a", "b"]);
  expect(stage(["b"]).state["role-adapters"]?.roles?.learn).toEqual(["b"]);
});
