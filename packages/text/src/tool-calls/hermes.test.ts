import fc from "fast-check";
import { expect, test } from "vitest";
import type { WritableCall } from "./format-entry.ts";
import { HERMES } from "./hermes.ts";
import { parseAssistant } from "./reader.ts";

const parse = (text: string) => parseAssistant(text, HERMES);

const renderAssistant = (text: string, calls: readonly WritableCall[]) =>
  text + HERMES.write(calls);

test("rendered calls are read back", () => {
  const call = fc.record({
    name: fc.string({ minLength: 1, maxLength: 128 }),
    arguments: fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.oneof(fc.string(), fc.integer(), fc.constant("</tool_call>"), fc.constant(null)),
      { noNullPrototype: true },
    ),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 4 }), (toolCalls) => {
      const parsed = parse(renderAssistant("Well.", toolCalls));
      expect(parsed).toEqual({ text: "Well.", toolCalls, parseError: null });
    }),
  );
});

test("calls are found between text, spaces and line ends", () => {
  const parsed = parse(
    'I look.\n<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>\n<tool_call> {"arguments": {}, "name": "b"} </tool_call>\n',
  );
  expect(parsed.text).toBe("I look.");
  expect(parsed.toolCalls).toEqual([
    { name: "a", arguments: { x: 1 } },
    { name: "b", arguments: {} },
  ]);
});

test("a call inside a thought is not a call", () => {
  const call = '<tool_call>{"name":"a","arguments":{}}</tool_call>';
  expect(parse(`<think>${call}</think>Done.`)).toEqual({
    text: "Done.",
    toolCalls: [],
    parseError: null,
  });
  expect(parse(`<think>${call}`).toolCalls).toEqual([]);
});

test.each([
  ['<tool_call>{"name":"a","arguments":{}}', "<tool_call> without </tool_call>"],
  ['{"name":"a","arguments":{}}</tool_call>', "</tool_call> without <tool_call>"],
  ['<tool_call>{"name":"a",}</tool_call>', 'a tool call must hold JSON, got {"name":"a",}'],
  ["<tool_call>[]</tool_call>", "a tool call must be a JSON object, got []"],
  ['<tool_call>{"arguments":{}}</tool_call>', "a tool call must have a name, got nothing"],
  ['<tool_call>{"name":"a"}</tool_call>', "arguments must be a JSON object, got nothing"],
  [
    '<tool_call>{"name":"a","arguments":[1]}</tool_call>',
    "arguments must be a JSON object, got [1]",
  ],
  [
    `<tool_call>{"name":"${"n".repeat(129)}","arguments":{}}</tool_call>`,
    `a name must be short, got ${"n".repeat(80)}…`,
  ],
  [
    `<tool_call>{"name":"a","arguments":{"${"k".repeat(129)}":1}}</tool_call>`,
    `names of arguments must be short, got ${"k".repeat(80)}…`,
  ],
  ['<tool_call>{"name":"a","arguments":{}}</tool_call>'.repeat(65), "at most 64 calls a turn"],
])("%s is a parse error and no call", (text, parseError) => {
  expect(parse(text)).toMatchObject({ toolCalls: [], parseError });
});

test("one unreadable call discards all calls of its turn", () => {
  const parsed = parse(
    '<tool_call>{"name":"a","arguments":{}}</tool_call><tool_call>{bad</tool_call>',
  );
  expect(parsed.toolCalls).toEqual([]);
  expect(parsed.parseError).toBe("a tool call must hold JSON, got {bad");
});

test("a missing closing tag is a parse error", () => {
  const parsed = parse(
    '<tool_call>{"name":"a","arguments":{}}<tool_call>{"name":"b","arguments":{}}</tool_call>',
  );
  expect(parsed.toolCalls).toEqual([]);
  expect(parsed.parseError).toContain("must hold JSON");
});

test("parseAssistant never throws", () => {
  const piece = fc.constantFrom(
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "</think>",
    '{"name":"a"',
    "}",
    "x",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const parsed = parse(pieces.join(""));
      expect(parsed.parseError === null || parsed.toolCalls.length === 0).toBe(true);
    }),
  );
});
