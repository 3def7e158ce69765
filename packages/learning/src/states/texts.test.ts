import { expect, test } from "vitest";
import { semanticAdvantage } from "../advantages/semantic-comparison.ts";
import {
  editExperiences,
  experienceLibrary,
  experiencesOf,
  experienceText,
} from "./experience-library.ts";
import { memoryBank, operateMemory, recallMemory } from "./memory-bank.ts";

const signal = new AbortController().signal;
const group = { request: "buy", transcripts: ["searched", "guessed"], rewards: [1, 0] };
const writes = (answer: string) => {
  const prompts: string[] = [];
  return {
    prompts,
    write: async (prompt: string) => {
      prompts.push(prompt);
      return answer;
    },
  };
};

test("comparing a group edits the library, and the next request shows its entries", async () => {
  const writer = writes('Here: [{"edit":"add","text":"Search before you buy."}]');
  const { edits, reason } = await semanticAdvantage(writer, group, [], signal);
  const { library } = editExperiences(experienceLibrary(), edits);
  expect(reason).toBeNull();
  expect(experienceText(library)).toBe("- Search before you buy.");
  const next = writes('[{"edit":"delete","id":"e0"}]');
  const second = await semanticAdvantage(next, group, experiencesOf(library), signal);
  expect(next.prompts[0]).toContain("e0: Search before you buy.");
  expect(next.prompts[0]).toContain("Attempt 1, reward 1:\nsearched");
  expect(experienceText(editExperiences(library, second.edits).library)).toBe("");
});

test("groups with equal rewards cause no edit and no request", async () => {
  const writer = writes("[]");
  const { edits, reason } = await semanticAdvantage(
    writer,
    { ...group, rewards: [1, 1] },
    [],
    signal,
  );
  expect([edits, reason, writer.prompts.length]).toEqual([[], "no-signal", 0]);
});

test.each([
  ["no array", "I think so.", "unreadable"],
  ["broken JSON", "[{]", "unreadable"],
  ["an unknown edit", '[{"edit":"drop","id":"e0"}]', "unreadable"],
  ["a number for a text", '[{"edit":"add","text":4}]', "unreadable"],
  ["an empty array", "[]", "nothing-to-learn"],
])("%s is data, not a crash", async (_, answer, reason) => {
  await expect(semanticAdvantage(writes(answer), group, [], signal)).resolves.toEqual({
    edits: [],
    reason,
  });
});

test("a failing writer gives a typed error; a single rollout cannot be compared", async () => {
  const failing = {
    write: async () => {
      throw new Error("down");
    },
  };
  await expect(semanticAdvantage(failing, group, [], signal)).rejects.toMatchObject({
    code: "REWARD_UNAVAILABLE",
  });
  await expect(
    semanticAdvantage(writes("[]"), { ...group, transcripts: ["a"], rewards: [1] }, [], signal),
  ).rejects.toMatchObject({ code: "GROUP_TOO_SMALL" });
});

test("every edit makes a version, and ids are never reused", () => {
  let { library } = editExperiences(experienceLibrary(), [
    { edit: "add", text: "one" },
    { edit: "add", text: "two" },
  ]);
  library = editExperiences(library, [
    { edit: "modify", id: "e0", text: "uno" },
    { edit: "delete", id: "e1" },
  ]).library;
  expect(experienceText(library)).toBe("- uno");
  library = editExperiences(library, [{ edit: "add", text: "three" }]).library;
  expect(experiencesOf(library).map(({ id }) => id)).toEqual(["e0", "e2"]);
  expect(library.versions).toHaveLength(4);
  expect(JSON.parse(JSON.stringify(library))).toEqual(library);
});

test("impossible edits are refused with a reason and leave the library unchanged", () => {
  const { library } = editExperiences(experienceLibrary({ entries: 1, characters: 5 }), [
    { edit: "add", text: "one" },
  ]);
  const edits = [
    { edit: "add", text: "two" },
    { edit: "add", text: " one " },
    { edit: "modify", id: "e0", text: "too long" },
    { edit: "modify", id: "e0", text: " " },
    { edit: "delete", id: "e9" },
  ] as const;
  const result = editExperiences(library, edits);
  expect(result.refused.map(({ reason }) => reason)).toEqual([
    "full",
    "already-there",
    "too-long",
    "empty",
    "unknown-id",
  ]);
  expect(result.library).toBe(library);
});

test("operations change the memory; one on an unknown entry is refused", () => {
  let { bank } = operateMemory(memoryBank(), { operation: "add", text: "likes red shoes" });
  ({ bank } = operateMemory(bank, { operation: "add", text: "lives in Oslo" }));
  ({ bank } = operateMemory(bank, { operation: "update", id: "m0", text: "likes blue shoes" }));
  expect(recallMemory(bank, "Which shoes?", 3).map(({ text }) => text)).toEqual([
    "likes blue shoes",
  ]);
  expect(recallMemory(bank, "Which hat?", 3)).toEqual([]);
  expect(operateMemory(bank, { operation: "delete", id: "m7" })).toEqual({ bank, done: false });
  expect(operateMemory(bank, { operation: "none" })).toEqual({ bank, done: true });
  ({ bank } = operateMemory(bank, { operation: "delete", id: "m0" }));
  ({ bank } = operateMemory(bank, { operation: "add", text: "new" }));
  expect(bank.entries.map(({ id }) => id)).toEqual(["m1", "m2"]);
});
