import { readGuidance, writeGuidance } from "@waggle/protocol";
import { expect, test } from "vitest";
import { writeCase } from "./case-memory.ts";
import { caseFeatures, caseValues, choiceChances } from "./case-policy.ts";
import { type CaseStore, caseStore } from "./case-store.ts";
import { editExperiences, experienceLibrary } from "./experience-library.ts";
import { guidanceOf, guidanceReading } from "./guidance.ts";
import { addPrompt, creditPrompt, promptPopulation } from "./prompt-population.ts";

function store(): CaseStore {
  const { memory, policy } = caseStore(0.5);
  const two = writeCase(memory, { situation: "red star", action: "left", reward: 1 });
  return {
    memory: writeCase(two, { situation: "blue moon", action: "right", reward: 0 }),
    policy,
  };
}

test("the best prompt, the lessons and the cases of a run are published", () => {
  let prompts = addPrompt(promptPopulation(["first"]), "second", "p0", true);
  prompts = creditPrompt(creditPrompt(prompts, "p0", [0]), "p1", [1]);
  const { library } = editExperiences(experienceLibrary(), [{ edit: "add", text: "a lesson" }]);
  const guidance = guidanceOf({ prompts, experience: library, cases: store(), baseline: 3 });
  expect(guidance).toMatchObject({ prompt: "second", lessons: ["a lesson"] });
  if (guidance === null) throw new Error("nothing");
  expect(readGuidance(writeGuidance(guidance))).toEqual(guidance);
  expect(guidanceOf({ baseline: 3 })).toBeNull();
});

test("cases are sampled with the learned probabilities; the same draw reads the same case", () => {
  const cases = store();
  const guidance = { formatVersion: 1, prompt: "p", lessons: [], cases } as const;
  const rows = cases.memory.cases.map((entry) => caseFeatures(entry, "red moon"));
  const [first = 0] = choiceChances(caseValues(cases.policy, rows), cases.policy.temperature);
  const read = (draw: number): string | undefined =>
    guidanceReading(guidance, "red moon", draw).cases?.[0]?.action;
  const draws = Array.from({ length: 1000 }, (_, i) => (i + 0.5) / 1000);
  const share = draws.filter((draw) => read(draw) === "left").length / draws.length;
  expect(Math.abs(share - first)).toBeLessThan(2e-3);
  expect(read(0.4)).toBe(read(0.4));
});

test("a case policy with an unknown number of weights is refused", () => {
  const cases = { ...store(), policy: { weights: [1, 2], temperature: 1 } };
  expect(() =>
    guidanceReading({ formatVersion: 1, prompt: "", lessons: [], cases }, "red", 0),
  ).toThrow(expect.objectContaining({ code: "SCHEMA_INVALID" }));
});
