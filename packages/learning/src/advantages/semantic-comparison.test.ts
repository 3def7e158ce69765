/** The edits that a writer's answer suggests. */
import { expect, test } from "vitest";
import { semanticAdvantage } from "./semantic-comparison.ts";

const answered = (answer: string) =>
  semanticAdvantage(
    { write: () => Promise.resolve(answer) },
    { request: "book a table", transcripts: ["asked first", "guessed"], rewards: [1, 0] },
    [{ id: "e1", text: "Be quick." }],
    new AbortController().signal,
  );

test("edits are read from an answer with text around them", async () => {
  const edits = [
    { edit: "add", text: "Ask for the date." },
    { edit: "modify", id: "e1", text: "Be precise." },
    { edit: "delete", id: "e1" },
  ];
  const answer = `These help:\n${JSON.stringify(edits)}\nDone.`;
  expect(await answered(answer)).toEqual({ edits, reason: null });
});

test("an empty array is an answer, and keeps all lessons", async () => {
  expect(await answered("[]")).toEqual({ edits: [], reason: "nothing-to-learn" });
});

test.each([
  ["no array", "nothing to change"],
  ["an array that is not JSON", "[add]"],
  ["an entry that is no object", '["delete"]'],
  ["an addition without a text", '[{"edit":"add"}]'],
  ["a change without a text", '[{"edit":"modify","id":"e1"}]'],
  ["a change without a lesson", '[{"edit":"modify","text":"Be precise."}]'],
  ["a deletion without a lesson", '[{"edit":"delete"}]'],
  ["an unknown edit", '[{"edit":"move","id":"e1"}]'],
  ["one unreadable entry of two", '[{"edit":"delete","id":"e1"},{"edit":"add"}]'],
])("%s is unreadable and changes nothing", async (_, answer) => {
  expect(await answered(answer)).toEqual({ edits: [], reason: "unreadable" });
});
