import { expect, test } from "vitest";
import { CALCULATOR } from "../calculator.ts";
import { DIALOGUE } from "../dialogue.ts";
import { mixed } from "./mixed-environment.ts";

const spec = mixed("mix", [
  [
    { spec: CALCULATOR, level: 0, share: 3 },
    { spec: DIALOGUE, level: 2, share: 1 },
  ],
  [{ spec: DIALOGUE, level: 1, share: 1 }],
]);
const references = Array.from({ length: 2000 }, (_, seed) => spec.reference(seed, "train", 0));

test("each part has its share of the tasks, at its level", () => {
  const ofDialogue = references.filter(({ environment }) => environment === DIALOGUE.name);
  expect(ofDialogue.length / references.length).toBeCloseTo(0.25, 1);
  expect(new Set(ofDialogue.map(DIALOGUE.levelOf))).toEqual(new Set([2]));
});

test("a level has its own parts", () => {
  const hard = spec.reference(7, "train", 1);
  expect([hard.environment, DIALOGUE.levelOf(hard), spec.levelOf(hard)]).toEqual([
    DIALOGUE.name,
    1,
    1,
  ]);
  expect(references.map(spec.levelOf)).toEqual(references.map(() => 0));
  expect(() => spec.reference(7, "train", 2)).toThrow("no level 2");
});

test("tasks are those of the parts", () => {
  for (const reference of references.slice(0, 50)) {
    const part = reference.environment === DIALOGUE.name ? DIALOGUE : CALCULATOR;
    expect(spec.task(reference)).toEqual(part.task(reference));
  }
});

test("a task of another environment is refused", () => {
  const elsewhere = { environment: "strings", seed: 1, split: "train" } as const;
  expect(() => spec.task(elsewhere)).toThrow('not a part of "mix"');
});
