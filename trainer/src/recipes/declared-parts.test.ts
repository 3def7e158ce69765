/** Parts that the repository does not know are treated by what they declare, not by their names. */
import { type Recipe, recipeNamed, type Stage } from "@waggle/learning";
import { expect, test } from "vitest";
import { edgeMisfits } from "./edge-recipe.ts";
import { requireServable, withSamplerCorrection } from "./servable-recipe.ts";

/** GRPO with a changed stage. */
function changed(change: (stage: Stage) => Partial<Stage>): Recipe {
  const plain = recipeNamed("grpo")();
  return { ...plain, stages: plain.stages.map((stage) => ({ ...stage, ...change(stage) })) };
}

test.each(["schedule", "rollout"] as const)(
  "a %s part that reads entropies is refused on a server by its declaration",
  (slot) => {
    const of = (declared: { readonly readsEntropies?: true }): Recipe =>
      changed(({ schedule, rollout }) =>
        slot === "schedule"
          ? {
              schedule: [
                ...schedule,
                { slot: "schedule", part: "my-part", at: (now) => now, ...declared },
              ],
            }
          : { rollout: { ...rollout, part: "my-part", ...declared } },
      );
    expect(() => requireServable(of({ readsEntropies: true }))).toThrow(
      /its part my-part reads the entropy of each sampled token/,
    );
    expect(() => requireServable(of({}))).not.toThrow();
  },
);

test("a loss part that corrects for the sampler is not corrected again, even inside another", () => {
  const of = (declared: { readonly corrects?: true }, wrapped: boolean): string[] => {
    const given = changed(({ losses }) => ({
      losses: losses.map(({ loss, weight }) => {
        const own = { ...loss, part: "my-loss", ...declared } as typeof loss;
        return {
          weight,
          loss: wrapped ? ({ ...loss, part: "my-wrapper", around: [own] } as typeof loss) : own,
        };
      }),
    }));
    return withSamplerCorrection(given, 2).stages.flatMap(({ losses }) =>
      losses.map(({ loss }) => loss.part),
    );
  };
  expect(of({ corrects: true }, false)).toEqual(["my-loss"]);
  expect(of({ corrects: true }, true)).toEqual(["my-wrapper"]);
  expect(of({}, false)).toEqual(["tis"]);
});

test("state of reward statistics alone can train from an edge; other state cannot", () => {
  const of = (declared: { readonly onlyStatistics?: true }): string[] =>
    edgeMisfits(
      changed(() => ({
        state: { cases: { slot: "state", part: "cases", initial: () => 0, ...declared } },
      })),
    );
  expect(of({ onlyStatistics: true })).toEqual([]);
  expect(of({})).toEqual([expect.stringMatching(/^needs /)]);
});
