import { expect, test } from "vitest";
import { partsOf } from "../../composition/definition.ts";
import { ownRecipe } from "../../composition/own-recipe.fixture.ts";
import type { Minibatch, PartContext, RewardedGroup, StateValues } from "../../composition/part.ts";
import { initialValues, rewardStage, type Stage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { lossTokenCount } from "../../token-rows.ts";
import { tokenShares } from "../aggregation.ts";
import { randomMinibatch } from "../minibatch.fixture.ts";
import { entropyBonusLoss } from "./entropy-bonus.ts";

const TARGET = { target: 0.3, stepSize: 1 / 64, most: 5 / 128 };

const base = {
  rollout: parts.group(4),
  reward: parts.outcome(),
  advantage: parts.groupAdvantage(),
};

const recipe = ownRecipe(
  rewardStage({
    ...base,
    filters: [parts.entropyTarget(TARGET)],
    losses: [parts.pgClip(), parts.adaptiveEntropy()],
    state: { "entropy-strength": parts.entropyStrength(1 / 64) },
  }),
);

const stage = recipe.stages[0] as Stage;

const context = (state: StateValues): PartContext => ({
  step: 0,
  steps: 1,
  random: () => 0.5,
  state,
  ports: {},
  signal: new AbortController().signal,
});

/** Trajectories whose tokens were sampled at this entropy. */
function sampledAt(entropy: number): RewardedGroup[] {
  const spans = [{ segment: { entropies: [entropy - 0.1, entropy + 0.1] }, start: 0 }];
  return [{ task: "t", trajectories: [{ trajectory: { samples: [{ spans }] } }] }] as never;
}

const drawn = randomMinibatch(5);

const MINIBATCH: Minibatch = {
  ...drawn,
  shares: tokenShares({ kind: "seq-mean-token-sum" }, drawn),
  tokenCount: lossTokenCount(drawn.lossMask),
  trajectories: [],
  samples: [],
  pairs: [],
};

test("steps below the entropy target get a bonus of the strength so far; other steps get none", () => {
  expect(partsOf(recipe)).toMatchObject({
    loss: ["pg-clip", "adaptive-entropy"],
    state: ["entropy-strength"],
  });
  let state = initialValues(stage, {});
  const [, bonus] = stage.losses;
  const derivativesAfter = (entropy: number): unknown => {
    const filtered = stage.filters[0]?.apply(sampledAt(entropy), context(state));
    state = { ...state, ...filtered?.state };
    return bonus?.loss.compute(MINIBATCH, context(state)).derivatives;
  };
  // Strengths 2, 4, 5 (the maximum), 3 and 1, over 128.
  const paid = [
    [0.2, 2 / 128],
    [0.1, 4 / 128],
    [0.4, 0],
    [0.5, 0],
    [0.2, 1 / 128],
  ] as const;
  for (const [entropy, coefficient] of paid) {
    const expected = entropyBonusLoss(MINIBATCH, coefficient, MINIBATCH).derivatives;
    expect(JSON.stringify(derivativesAfter(entropy))).toBe(JSON.stringify(expected));
  }
  const strength = state["entropy-strength"];
  expect(strength).toEqual({ strength: 3 / 128, coefficient: 1 / 128 });
  // The state survives a checkpoint.
  expect(JSON.parse(JSON.stringify(strength))).toEqual(strength);
  // Without sampled tokens the state stays unchanged.
  expect(stage.filters[0]?.apply([], context(state)).state).toBeUndefined();
});

test("the bonus does not compile without its state", () => {
  // @ts-expect-error the stage lacks the state `entropy-strength`
  const lacking = rewardStage({ ...base, losses: [parts.adaptiveEntropy()] });
  expect(() => lacking.losses[0]?.loss.compute(MINIBATCH, context({}))).toThrow(TypeError);
});
