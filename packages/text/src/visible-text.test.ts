import fc from "fast-check";
import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

const shown = (text: string): string => visibleText(text, "ended").text;

test.each([
  ["It costs 12 euros.", "It costs 12 euros."],
  ["a < b and 3 > 2, I <3 it", "a < b and 3 > 2, I <3 it"],
  ['He is called "Bob" [1] {see below}', 'He is called "Bob" [1] {see below}'],
  ["[EMAIL_1] has 2 orders.", "[EMAIL_1] has 2 orders."],
  ["See [the list](https://example.com).", "See [the list](https://example.com)."],
  ["<think>Which one?</think>The red one.", "The red one."],
])("%s stays readable", (text, expected) => {
  expect(visibleText(text, "ended")).toEqual({ text: expected, isUnreadable: false });
});

const MACHINE_TEXTS = [
  '<tool_call>{"name": "search", "arguments": {"query": "mug"',
  '<tool_call>{"name": "search"}</tool_call>',
  "</tool_call>",
  "<tool_cal",
  "<|im_start|>assistant",
  "<|tool_call_start|>[search(query=",
  "<start_function_call>call:search{",
  "call:search{query:<escape>mug",
  '[TOOL_CALLS][{"name":',
  "[TOO",
  "[/TOOL_R",
  '[search(query="mug")]',
  '{"name": "search", "arguments": {"query": "mug"}}',
  '{"say": "Hel',
  '[{"id": "a1"',
  '"arguments": {"query": "mug"}}</tool_call>',
  "<function=search>",
  "<think>Let me see",
  "<",
  "{",
];

test.each(MACHINE_TEXTS)("%s is hidden, alone or after a sentence", (text) => {
  expect(shown(text)).toBe("");
  expect(shown(`Let me look. ${text}`)).toBe("Let me look.");
});

test("an answer that ends with a spelled-out special token is readable", () => {
  expect(visibleText("It costs 12 euros.<|im_end|>", "ended")).toEqual({
    text: "It costs 12 euros.",
    isUnreadable: false,
  });
  expect(visibleText('{"name": "search"', "ended").isUnreadable).toBe(true);
});

test("no prefix of a stream shows markup, and shown text stays", () => {
  const piece = fc.oneof(
    fc.constantFrom(...MACHINE_TEXTS, "Here is ", "the mug", " [EMAIL_1] ", '"red" '),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const sampled = pieces.join("");
      fc.pre(!sampled.includes("</think>"));
      const final = shown(sampled);
      let before = "";
      for (let length = 0; length <= sampled.length; length++) {
        const { text } = visibleText(sampled.slice(0, length), "going");
        expect(text.startsWith(before)).toBe(true);
        expect(final.startsWith(text)).toBe(true);
        before = text;
      }
      expect(final).not.toMatch(/<\/?tool_call|<\||\{\s*"|<\/?think>/);
    }),
    { numRuns: 500 },
  );
});
