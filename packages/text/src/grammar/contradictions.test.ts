/** Schemas of which a part has no value: the rest is still constrained, and an error names the part and its tool. */
import type { GrammarSpec, JsonSchema, ToolCallsGrammar } from "@waggle/protocol";
import { expect, test } from "vitest";
import { allows, compile } from "./grammar.fixture.ts";

const NEVER = { type: "string", enum: [1] };
const withP = (p: JsonSchema | boolean, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties: { p, q: { type: "integer" } },
  required,
});
const calls = (
  tools: { readonly [name: string]: JsonSchema },
  choice: ToolCallsGrammar["choice"],
): GrammarSpec => ({
  kind: "tool-calls",
  format: "hermes",
  tools: Object.entries(tools).map(([name, parameters]) => ({ name, parameters })),
  choice,
  parallel: false,
});
const call = (name: string, args: unknown) =>
  `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;

test.each<[JsonSchema | boolean]>([
  [NEVER],
  [false],
  [{ not: {} }],
  [{ const: 1, type: "string" }],
  [{ enum: [] }],
  [{ allOf: [{ type: "string" }, { type: "integer" }] }],
  [{ allOf: [{ enum: [1] }, { enum: [2] }] }],
  [{ allOf: [false] }],
  [{ type: "integer", minimum: 3, maximum: 2 }],
  [{ type: "string", minLength: 3, maxLength: 2 }],
  [{ type: "array", minItems: 3, maxItems: 2 }],
  [{ type: "object", minProperties: 3, maxProperties: 2 }],
  [{ type: "object", required: ["a"], additionalProperties: false }],
])("an optional member without a value is left out, and the others stay: %j", async (p) => {
  const spec: GrammarSpec = { kind: "json-schema", schema: withP(p) };
  expect(await allows(spec, '{"q":1}')).toBe(true);
  expect(await allows(spec, '{"p":1}')).toBe(false);
  expect(await allows(spec, '{"q":"a"}')).toBe(false);
});

test("a branch without a value is left out", async () => {
  for (const anyOf of [
    [NEVER, { type: "integer" }],
    [false, { type: "integer" }],
  ]) {
    const spec: GrammarSpec = { kind: "json-schema", schema: { anyOf } };
    expect(await allows(spec, "1")).toBe(true);
    expect(await allows(spec, '"a"')).toBe(false);
  }
});

test("a tool without valid arguments does not fail a request in which others can be called", async () => {
  const tools = { broken: withP(NEVER, ["p"]), fine: withP(true, ["q"]) };
  for (const choice of ["auto", "required"] as const) {
    expect(await allows(calls(tools, choice), call("fine", { q: 1 }))).toBe(true);
    expect(await allows(calls(tools, choice), call("broken", { p: 1 }))).toBe(false);
  }
  expect(await allows(calls({ broken: tools.broken }, "auto"), "Hi.")).toBe(true);
});

test.each<[string, JsonSchema]>([
  ['tool "save": the schema at /properties/p lists no value of its type', withP(NEVER, ["p"])],
  [
    'tool "save": the schema at the root requires "r" and allows no such member',
    {
      required: ["r"],
      additionalProperties: false,
    },
  ],
  ['tool "save": the schema at the root has types that exclude each other', { type: "string" }],
  [
    "contains itself without an end",
    { properties: { p: { $ref: "#" } }, required: ["p"], additionalProperties: false },
  ],
])("the only tool of a required call is refused by name: %s", async (message, parameters) => {
  await expect(compile(calls({ save: parameters }, "required"))).rejects.toMatchObject({
    code: "GRAMMAR_UNSUPPORTED",
    message: expect.stringContaining(message) as string,
  });
});

test("a mistake names the tool", async () => {
  const tools = { fine: {}, save: withP({ type: "dict" }) };
  await expect(compile(calls(tools, "auto"))).rejects.toThrow(
    'tool "save": the schema at /properties/p has the unknown type "dict"; correct the schema',
  );
});

test("arguments are an object also where the schema allows other types", async () => {
  const spec = calls({ save: { type: ["object", "null"] } }, "required");
  expect(await allows(spec, call("save", { a: 1 }))).toBe(true);
  expect(await allows(spec, call("save", null))).toBe(false);
});

test("numbers beyond 15 digits, and bounds closer than any fraction, have values", async () => {
  const of = (schema: JsonSchema): GrammarSpec => ({ kind: "json-schema", schema });
  const large = of({ type: "integer", minimum: 1e17 });
  expect(await allows(large, "100000000000000000")).toBe(true);
  expect(await allows(large, "99999999999999999")).toBe(false);
  expect(await allows(of({ type: "integer", maximum: -1e17 }), "-100000000000000000")).toBe(true);
  const close = of({ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1e-20 });
  expect(await allows(close, "1e-21")).toBe(true);
});

test("a member that only a pattern names has the schema of the pattern", async () => {
  const schema = {
    type: "object",
    required: ["x1"],
    patternProperties: { "^x": { type: "integer" } },
    additionalProperties: false,
  };
  const spec: GrammarSpec = { kind: "json-schema", schema };
  expect(await allows(spec, '{"x1":2}')).toBe(true);
  expect(await allows(spec, '{"x1":"2"}')).toBe(false);
});

test("members that every JavaScript object inherits are ordinary names", async () => {
  const schema = { type: "object", required: ["constructor"], additionalProperties: true };
  expect(await allows({ kind: "json-schema", schema }, '{"constructor":1}')).toBe(true);
});

test("a reference finds true, an encoded name, and is free within another document", async () => {
  const $defs = { any: true, none: false, "100%": { type: "integer" } };
  const of = (p: JsonSchema): GrammarSpec => ({
    kind: "json-schema",
    schema: { $defs, ...withP(p, ["p"]) },
  });
  expect(await allows(of({ $ref: "#/$defs/any" }), '{"p":null}')).toBe(true);
  expect(await allows(of({ $ref: "#/$defs/100%" }), '{"p":1}')).toBe(true);
  expect(await allows(of({ $ref: "#/$defs/100%" }), '{"p":null}')).toBe(false);
  await expect(compile(of({ $ref: "#/$defs/none" }))).rejects.toThrow("allows no value");
  const inner = { $id: "https://a.example/b", $defs: { x: {} }, items: { $ref: "#/$defs/x" } };
  expect(await allows(of(inner), '{"p":[null]}')).toBe(true);
});
