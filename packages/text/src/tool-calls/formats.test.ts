/** Checks the same properties for every format. */
import type { ToolCallFormat } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleSize } from "../../../../test/fixtures/long.ts";
import { detectToolCallFormat, toolCallFormatEntry } from "./formats.ts";
import type { WritableCall } from "./format-entry.ts";
import { HERMES } from "./hermes.ts";
import { createAssistantReader, parseAssistant } from "./reader.ts";
import type { AssistantEvent } from "./reader.ts";

const FORMATS: readonly ToolCallFormat[] = [
  "hermes",
  "qwen-xml",
  "llama",
  "mistral",
  "lfm",
  "gemma",
];

const write = (format: ToolCallFormat, calls: readonly WritableCall[]) =>
  toolCallFormatEntry(format).write(calls);

/** All events of a turn, with adjacent pieces of the same kind joined. */
function read(format: ToolCallFormat, pieces: readonly string[]): AssistantEvent[] {
  const reader = createAssistantReader(toolCallFormatEntry(format));
  const events = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  const joined: Record<string, AssistantEvent> = {};
  for (const event of events) {
    const key = `${event.type} ${"index" in event ? event.index : ""}`;
    const before = joined[key];
    if (before === undefined || event.type === "call-error") joined[key] ??= event;
    else if ("text" in event && "text" in before) {
      joined[key] = { ...event, text: before.text + event.text };
    } else if (event.type === "call-arguments" && before.type === event.type) {
      joined[key] = { ...event, json: before.json + event.json };
    }
  }
  return Object.values(joined).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

const name = fc
  .stringMatching(/^[a-z][a-z_]{0,8}$/)
  .filter((text) => !/^(true|false|none|null)$/i.test(text));
/** Texts that every format can express. Markers inside texts are tested separately. */
const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((t) => !/[<>[\]\n\r]/.test(t));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small", maxDepth: 2 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(name, tie("any"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;
const call = fc.record({
  name,
  arguments: fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }),
});

test.each(FORMATS)("%s: written calls are read back", (format) => {
  // XML parameters are untyped: without a schema, text that looks like JSON is parsed as JSON.
  const isPlain = (one: WritableCall) =>
    Object.values(one.arguments).every((v) => typeof v !== "string" || /^[a-z]{2,}$/.test(v));
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (calls) => {
      if (format === "qwen-xml") fc.pre(calls.every(isPlain));
      const parsed = parseAssistant(write(format, calls), toolCallFormatEntry(format));
      expect(parsed).toEqual({ text: "", toolCalls: calls, parseError: null });
    }),
  );
});

/** A call with something inserted: a marker, or characters that mean something in JSON. */
const brokenCall = (format: ToolCallFormat) => {
  const { markers } = toolCallFormatEntry(format);
  return fc
    .tuple(call, fc.nat(), fc.constantFrom(...markers, '"', "'", "{", "}", ",", "%", "\\"))
    .map(([one, at, inserted]) => {
      const whole = write(format, [one]);
      const cut = at % (whole.length + 1);
      return whole.slice(0, cut) + inserted + whole.slice(cut);
    });
};

test.each(FORMATS)("%s: reading does not depend on how a turn is split", (format) => {
  const piece = fc.oneof(
    fc.constantFrom(...toolCallFormatEntry(format).markers, "<think>", "</think>", "{", '"', "\n"),
    fc.array(call, { minLength: 1, maxLength: 2 }).map((calls) => write(format, calls)),
    brokenCall(format),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join("")),
      fc.array(fc.nat(200), { maxLength: 12 }),
      (turn, cuts) => {
        const whole = read(format, [turn]);
        const ends = [...cuts.map((cut) => cut % (turn.length + 1)), turn.length].sort(
          (a, b) => a - b,
        );
        const pieces = ends.map((end, i) => turn.slice(i === 0 ? 0 : ends[i - 1], end));
        expect(read(format, pieces)).toEqual(whole);
        expect(read(format, turn.split(""))).toEqual(whole);
      },
    ),
    { numRuns: sampleSize(80, 300) },
  );
});

test.each(FORMATS)("%s: a cut, broken or empty call is a parse error and no call", (format) => {
  fc.assert(
    fc.property(call, fc.nat(), fc.string({ maxLength: 4 }), (one, at, noise) => {
      const whole = write(format, [one]);
      const cut = 1 + (at % (whole.length - 1));
      const parsed = parseAssistant(whole.slice(0, cut) + noise, toolCallFormatEntry(format));
      expect(parsed.parseError === null || parsed.toolCalls.length === 0).toBe(true);
      expect((parsed.parseError ?? "").length).toBeLessThanOrEqual(300);
    }),
  );
});

test.each(FORMATS)("%s: events give the name, then growing arguments, then the call", (format) => {
  const args = { city: "Bern", days: 3, exact: true };
  const reader = createAssistantReader(toolCallFormatEntry(format));
  const turn = write(format, [{ name: "weather", arguments: args }]);
  const events = [...turn.split("").flatMap((piece) => reader.push(piece)), ...reader.end()];
  const kinds = events.map((event) => event.type).filter((type) => type !== "call-text");
  expect(kinds[0]).toBe("call-start");
  expect(kinds.at(-1)).toBe("call-end");
  const json = events.flatMap((event) => (event.type === "call-arguments" ? [event.json] : []));
  expect(json.length).toBeGreaterThan(1);
  expect(JSON.parse(json.join(""))).toEqual(args);
});

test.each<[ToolCallFormat, string, WritableCall[]]>([
  [
    "hermes",
    '<tool_call>\n{"arguments": {"a": 1}, "name": "f"}\n</tool_call>',
    [{ name: "f", arguments: { a: 1 } }],
  ],
  [
    "llama",
    '<|python_tag|>{"name": "f", "parameters": {"a": "b"}}',
    [{ name: "f", arguments: { a: "b" } }],
  ],
  [
    "llama",
    '[f(a=1, b=["x"]), g()]',
    [
      { name: "f", arguments: { a: 1, b: ["x"] } },
      { name: "g", arguments: {} },
    ],
  ],
  [
    "llama",
    '<|python_tag|>brave_search.call(query="bees")',
    [{ name: "brave_search", arguments: { query: "bees" } }],
  ],
  [
    "mistral",
    '[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}, "id": "abc123DEF"}]',
    [{ name: "f", arguments: { a: 1 } }],
  ],
  [
    "mistral",
    '[TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]g[CALL_ID]abc[ARGS]{}',
    [
      { name: "f", arguments: { a: 1 } },
      { name: "g", arguments: {} },
    ],
  ],
  [
    "lfm",
    `<|tool_call_start|>[f(a='it\\'s', b=None, c={"k": True})]<|tool_call_end|>`,
    [{ name: "f", arguments: { a: "it's", b: null, c: { k: true } } }],
  ],
  [
    "gemma",
    "<start_function_call>call:f{a:<escape>x, {y}<escape>,b:[1,2],c:{d:true}}<end_function_call>",
    [{ name: "f", arguments: { a: "x, {y}", b: [1, 2], c: { d: true } } }],
  ],
  [
    "qwen-xml",
    "<tool_call>\n<function=f>\n<parameter=a>\nline 1\nline 2\n</parameter>\n<parameter=b>\nTrue\n</parameter>\n</function>\n</tool_call>",
    [{ name: "f", arguments: { a: "line 1\nline 2", b: true } }],
  ],
])("%s calls as models write them are parsed: %s", (format, turn, toolCalls) => {
  expect(
    parseAssistant(`${format === "llama" ? "" : "Look: "}${turn}`, toolCallFormatEntry(format)),
  ).toEqual({
    text: format === "llama" ? "" : "Look:",
    toolCalls,
    parseError: null,
  });
});

test("XML parameters are texts if the tool's schema requires text", () => {
  const turn = write("qwen-xml", [{ name: "f", arguments: { id: "12", n: 12 } }]);
  const parameters = {
    type: "object",
    properties: { id: { type: "string" }, n: { type: "integer" } },
  };
  const parsed = parseAssistant(turn, toolCallFormatEntry("qwen-xml"), {
    tools: [{ name: "f", parameters }],
  });
  expect(parsed.toolCalls).toEqual([{ name: "f", arguments: { id: "12", n: 12 } }]);
  expect(parseAssistant(turn, toolCallFormatEntry("qwen-xml")).toolCalls[0]?.arguments).toEqual({
    id: 12,
    n: 12,
  });
});

test.each(["[1] Fool, 1998.", "{not a call}", '{"result": 1}', "[see](https://example.com)"])(
  "a Llama turn that only looks like a call is text: %s",
  (turn) => {
    expect(parseAssistant(turn, toolCallFormatEntry("llama"))).toEqual({
      text: turn,
      toolCalls: [],
      parseError: null,
    });
  },
);

test("text before a closing </think> is a thought", () => {
  expect(parseAssistant("I call <tool_call>{}</tool_call></think>\nDone.", HERMES)).toEqual({
    text: "Done.",
    toolCalls: [],
    parseError: null,
  });
});

test.each<[string, ToolCallFormat | null]>([
  ["{{ '<tool_call>\\n' }}{{ tool_call | tojson }}", "hermes"],
  ["<tool_call>\n<function=example_function_name>", "qwen-xml"],
  ["<|start_header_id|>ipython", "llama"],
  ["{{- '[TOOL_CALLS]' }}", "mistral"],
  ["List of tools: <|tool_list_start|>", "lfm"],
  ["<start_function_call>call:", "gemma"],
  ["<start_of_turn>user", null],
])("the format of the template %j is %s", (template, format) => {
  expect(detectToolCallFormat(template)).toBe(format);
});
