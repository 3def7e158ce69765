/** Which tokens each imitation loss pushes, and by how much. */
import { expect, test } from "vitest";
import { expectClose } from "../../close.fixture.ts";
import type { LossPart } from "../../composition/part.ts";
import {
  contextOf,
  type GivenTrajectory,
  minibatchOf,
  rewardedOf,
} from "../../composition/rewarded-trajectories.fixture.ts";
import type { StateName } from "../../composition/state.ts";
import * as parts from "../../parts.ts";
import { upperLayers } from "../parameter-subset.ts";

function slopes(
  loss: LossPart<StateName>,
  trajectories: readonly GivenTrajectory[],
  logProbs?: readonly number[],
): number[][] {
  const minibatch = minibatchOf(
    trajectories.map((given, i) => {
      const rewarded = rewardedOf(`${i}`, given);
      const [mask = []] = rewarded.lossMask;
      return { advantages: mask.map(() => 0), mask, rewarded, ...(logProbs ? { logProbs } : {}) };
    }),
  );
  const { derivatives } = loss.compute(minibatch, contextOf());
  return (derivatives.logProb ?? []).map((row) => [...row]);
}

/** [_ a _ b]: the first turn's call failed. */
const FAILED_FIRST: GivenTrajectory = { turns: [{ calls: ["do"], ok: false }, {}] };

test("ce pushes every sampled token equally; ce-mask leaves out failed turns", () => {
  expect(slopes(parts.crossEntropy(), [FAILED_FIRST])).toEqual([[0, -1, 0, -1].map((x) => x + 0)]);
  expect(slopes(parts.maskedCrossEntropy(), [FAILED_FIRST])).toEqual([[0, 0, 0, -1]]);
});

test("unlikelihood pushes down failed turns only", () => {
  const [row = []] = slopes(parts.unlikelihood(), [FAILED_FIRST]);
  expect(row[1]).toBeGreaterThan(0);
  expect([row[0], row[2], row[3]]).toEqual([0, 0, 0]);
});

test("dft weights each token by its own probability", () => {
  const [row = []] = slopes(parts.dft(), [{ turns: [{ tokens: 2 }] }], [0, -1, -2]);
  expect((row[1] ?? 0) / (row[2] ?? 1)).toBeCloseTo(Math.E, 9);
});

test("lm also pushes prompts and tool results", () => {
  const [row = []] = slopes(parts.languageModel(), [FAILED_FIRST]);
  // The first token has no predecessor.
  expect(row.slice(1).every((slope) => slope < 0)).toBe(true);
});

test("cond imitates all trajectories equally, each after its own return, and asks for the highest", () => {
  const loss = parts.returnConditioned();
  const [best = [], worse = []] = slopes(loss, [{ reward: 1 }, { reward: 0 }]);
  expect(best[1]).toBe(worse[1]);
  const sentences = [1, 0.6, 0, -3, 9].map((reward) =>
    loss.condition?.(rewardedOf("a", { reward })),
  );
  expect(sentences).toEqual([
    "Return 3 of 3.",
    "Return 2 of 3.",
    "Return 0 of 3.",
    "Return 0 of 3.",
    "Return 3 of 3.",
  ]);
  expect(loss.condition?.(null)).toBe("Return 3 of 3.");
  expect(parts.returnConditioned(2).condition?.(rewardedOf("a", { reward: 0.4 }))).toBe(
    "Return 0 of 1.",
  );
  expect(() => parts.returnConditioned(1)).toThrow(/at least 2, got 1/);
  expect(() => loss.condition?.(rewardedOf("a", { reward: Number.NaN }))).toThrow(/finite/);
});

test("feedback states whether a trajectory succeeded, and if not, how many calls failed", () => {
  const { condition } = parts.feedbackConditioned();
  const run = (reward: number, ok: boolean): ReturnType<typeof rewardedOf> =>
    rewardedOf("a", { reward, turns: [{ calls: ["f"], ok }] });
  expect(
    [run(1, true), run(1, false), run(0, true), run(0, false), null].map((one) => condition?.(one)),
  ).toEqual([
    "Feedback: all right.",
    "Feedback: all right.",
    "Feedback: wrong result.",
    "Feedback: wrong result, 1 failed calls.",
    "Feedback: all right.",
  ]);
});

test("distill pulls sampled tokens toward the teacher", () => {
  const minibatch = minibatchOf([{ advantages: [0, 0], logProbs: [-1, -1] }], {
    teacherLogProbs: [[-0.5, -2]],
  });
  const [row = []] = parts.distillation().compute(minibatch, contextOf()).derivatives.logProb ?? [];
  expect(row[0]).toBeLessThan(0);
  expect(row[1]).toBeGreaterThan(0);
});

test("param-subset trains a random share of each layer", () => {
  const names = ["a", "b", "c", "d"].map((name) => `model.layers.0.${name}.lora_A`);
  const loss = parts.parameterSubset(parts.crossEntropy(), parts.drawnShare(0.5));
  expect(loss.trains?.(names, contextOf()).size).toBe(2);
  const upper = upperLayers(0.5);
  const layers = ["model.embed", "model.layers.0.q", "model.layers.1.q"];
  expect([...upper(layers, contextOf())]).toEqual(["model.layers.1.q"]);
});

test("a critic is fitted at every token or at the start of each turn", () => {
  const rewarded = rewardedOf("e", { turns: [{ tokens: 2 }, { tokens: 2 }] });
  const [mask = []] = rewarded.lossMask;
  const minibatch = minibatchOf([{ advantages: mask.map(() => 0), mask, rewarded }], {
    values: [mask.map(() => 0.25)],
    returns: [mask.map(() => 1)],
  });
  const fitted = (at: "tokens" | "turns"): boolean[] =>
    Array.from(
      parts.critic(at).compute(minibatch, contextOf()).derivatives.values?.[0] ?? [],
      (slope) => slope < 0,
    );
  expect(fitted("tokens")).toEqual(mask);
  expect(fitted("turns")).toEqual([false, true, false, false, true, false]);
});

test("off-policy masks drop tokens by the ratio of the proximal to the behavior policy", () => {
  const rows = [
    { advantages: [1, 1], drifts: [1, 3] },
    { advantages: [1, 1], drifts: [3, 1 / 3] },
  ];
  const slopesOf = (loss: LossPart<StateName>): number[] =>
    (loss.compute(minibatchOf(rows), contextOf()).derivatives.logProb ?? []).flatMap((row) => [
      ...row,
    ]);
  const inner = parts.reinforce();
  expectClose(
    slopesOf(parts.tokenBand(inner)),
    [-1, 0, 0, 0].map((x) => x + 0),
  );
  expectClose(slopesOf(parts.icePop(inner)), [-1, -3, -3, 0]);
  // The product over a sequence: 3 and 1.
  expectClose(slopesOf(parts.sequenceBand(inner)), [0, 0, -1, -1]);
  expectClose(slopesOf(parts.geometricBand(inner, 0.5, 2)), [-1, -1, -1, -1]);
  expectClose(slopesOf(parts.outlierVeto(inner, 0.5, 9)), [-1, -1, 0, 0]);
});
