import fc from "fast-check";
import { expect, test } from "vitest";
import { addPrompt, creditPrompt, promptPopulation } from "../states/prompt-population.ts";
import {
  designFeatures,
  designValues,
  hopelessDesigns,
  observeDesign,
  predictDesign,
  selectDesign,
} from "./design-search.ts";

test("the prior of a design is 0 with the expected uncertainty", () => {
  // Two equal features of prior variance 0.05: 0.05 · (1 + 1); without words the constant alone.
  const { mean, deviation } = predictDesign(designValues(), "plan first");
  expect(mean).toBe(0);
  expect(deviation).toBeCloseTo(Math.sqrt(0.1), 12);
  expect(predictDesign(designValues(), "").deviation).toBeCloseTo(Math.sqrt(0.05), 12);
});

test("the order of words does not matter to the model, and every word counts", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1 }), (words) => {
      const features = designFeatures(words.join(" "));
      const turned = designFeatures(words.toReversed().join(", ").toUpperCase());
      for (const [i, value] of features.entries()) expect(turned[i]).toBeCloseTo(value, 12);
      expect(Math.hypot(...features)).toBeCloseTo(Math.SQRT2, 12);
    }),
  );
});

test("rewards of a design update similar designs and reduce their uncertainty", () => {
  const rewards = Array.from({ length: 40 }, () => 1);
  const zeros = rewards.map(() => 0);
  const seen = observeDesign(observeDesign(designValues(), "check twice", rewards), "guess", zeros);
  const [like, unlike] = [predictDesign(seen, "check thrice"), predictDesign(seen, "guess more")];
  expect(like.mean).toBeGreaterThan(unlike.mean + 0.2);
  const known = predictDesign(seen, "check twice");
  expect(known.mean).toBeGreaterThan(0.8);
  expect(known.deviation).toBeLessThan(predictDesign(seen, "another thing").deviation);
  // Control: a model without observations predicts the same value for all designs.
  expect(predictDesign(designValues(), "check thrice").mean).toBe(0);
});

/** p0 with children p1 (ran, good), p2 (ran, bad) and p3 (nobody ran it). */
function grown() {
  let population = promptPopulation(["root"]);
  for (const text of ["good", "bad", "new"]) population = addPrompt(population, text, "p0", true);
  population = creditPrompt(population, "p0", [0, 1]);
  population = creditPrompt(population, "p1", [1, 1, 1]);
  return creditPrompt(population, "p2", [0, 0, 0]);
}

test("without curiosity the search exploits the best design; with curiosity it explores", () => {
  const values = ["root", "good", "bad"].reduce(
    (model, text) =>
      observeDesign(
        model,
        text,
        Array.from({ length: 30 }, () => 0.5),
      ),
    designValues(),
  );
  expect(selectDesign(grown(), values, 0).id).toBe("p1");
  expect(selectDesign(grown(), values, 50).id).toBe("p3");
  // A poor grandchild lowers the mean of its parent to 3 of 12.
  let population = addPrompt(grown(), "worse", "p1", true);
  population = creditPrompt(population, "p4", [0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const sure = predictDesign(values, "new").mean;
  expect(sure).toBeGreaterThan(1 / 4);
  expect(selectDesign(population, values, 0).id).toBe("p3");
});

test("only the most promising designs without rollouts stay; designs with rollouts always stay", () => {
  let population = grown();
  for (const text of ["good again", "bad again"]) {
    population = addPrompt(population, text, "p0", true);
  }
  const ones = Array.from({ length: 30 }, () => 1);
  let values = observeDesign(designValues(), "good", ones);
  values = observeDesign(
    values,
    "bad",
    ones.map(() => 0),
  );
  const hopeless = hopelessDesigns(population, values, { keep: 1, curiosity: 0 });
  expect([...hopeless].toSorted()).toEqual(["p3", "p5"]);
  expect(hopelessDesigns(population, values, { keep: 9, curiosity: 0 }).size).toBe(0);
});
