/** Arguments of tools with the schemas that people write: a call with good ones runs, a call with bad ones does not. */
import type { JsonSchema, ToolResult } from "@waggle/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { impossibleNames, uncheckedKeywords } from "./json-schema-check.ts";
import { createToolRunner } from "./tool-runner.ts";

const { signal } = new AbortController();

/** Parameters with one argument, `value`. */
function withValue(value: JsonSchema): JsonSchema {
  return { type: "object", properties: { value }, required: ["value"] };
}

/** Calls a tool that returns its argument `value`. */
async function called(parameters: JsonSchema, given: unknown): Promise<ToolResult> {
  const run = createToolRunner({
    tools: [
      {
        definition: { name: "echo", description: "Echo.", parameters, source: "page" },
        run: async (args) => args["value"],
      },
    ],
  });
  return run({ id: "c0", name: "echo", arguments: { value: given } }, signal);
}

async function expectChecked(parameters: JsonSchema, good: unknown, bad: unknown): Promise<void> {
  expect(await called(parameters, good)).toEqual({ callId: "c0", ok: true, value: good });
  expect(await called(parameters, bad)).toMatchObject({
    ok: false,
    error: { code: "INVALID_TOOL_ARGUMENTS" },
  });
}

const node = z.object({
  name: z.string(),
  get children() {
    return z.array(node);
  },
});
type Tree = { readonly left?: Tree | undefined; readonly size: number };
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ left: tree.optional(), size: z.int() }));

test.each<[string, z.ZodType, unknown, unknown]>([
  ["email", z.email(), "a@b.example", "a at b"],
  ["uuid", z.uuid(), "123e4567-e89b-42d3-a456-426614174000", "123e4567"],
  ["url", z.url(), "https://example.com/a?b=1", "not a url"],
  ["iso.datetime", z.iso.datetime(), "2026-11-24T10:30:00Z", "yesterday"],
  ["iso.date", z.iso.date(), "2026-11-24", "2026-13-41"],
  ["iso.time", z.iso.time(), "10:30:00", "half past ten"],
  ["iso.duration", z.iso.duration(), "P1DT2H", "two hours"],
  ["ipv4", z.ipv4(), "10.0.0.1", "10.0.0"],
  ["cidrv4", z.cidrv4(), "10.0.0.0/8", "10.0.0.0"],
  ["base64", z.base64(), "YWJj", "a"],
  ["e164", z.e164(), "+4930123456", "030"],
  ["nanoid", z.nanoid(), "V1StGXR8_Z5jdHi6B-myT", "short"],
  ["a pattern", z.string().regex(/^[A-Z]{2}-\d+$/), "AB-12", "ab-12"],
  ["a pattern without the flag u", z.string().regex(/^[\w-.]+@$/), "a-b.c@", "a b@"],
  ["startsWith", z.string().startsWith("id-"), "id-7", "7"],
  ["record", z.record(z.string(), z.number()), { a: 1 }, { a: "1" }],
  ["record of an enum", z.record(z.enum(["a", "b"]), z.int()), { a: 1, b: 2 }, { a: 1, c: 2 }],
  ["record of a pattern", z.record(z.string().regex(/^x-/), z.int()), { "x-a": 1 }, { a: 1 }],
  ["tuple", z.tuple([z.string(), z.int()]), ["a", 1], ["a", "b"]],
  ["tuple with a rest", z.tuple([z.string()], z.int()), ["a", 1, 2], ["a", 1, "b"]],
  ["union", z.union([z.int(), z.literal("all")]), "all", "some"],
  [
    "discriminated union",
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), n: z.int() }),
      z.object({ kind: z.literal("b"), s: z.string() }),
    ]),
    { kind: "b", s: "x" },
    { kind: "b", n: 1 },
  ],
  [
    "intersection",
    z.intersection(z.object({ a: z.int() }), z.object({ b: z.boolean() })),
    { a: 1, b: true },
    { a: 1 },
  ],
  ["nullable", z.int().nullable(), null, "null"],
  ["default", z.object({ page: z.int().default(1) }), {}, { page: "1" }],
  ["optional", z.object({ page: z.int().optional() }), {}, { page: null }],
  ["strict object", z.strictObject({ a: z.int() }), { a: 1 }, { a: 1, b: 2 }],
  ["recursive object", node, { name: "a", children: [{ name: "b", children: [] }] }, { name: "a" }],
  ["lazy", tree, { left: { size: 1 }, size: 2 }, { left: { size: "1" }, size: 2 }],
  ["named", z.string().min(2).meta({ id: "Name" }), "ab", "a"],
  ["bounds", z.number().min(0).max(1).multipleOf(0.25), 0.75, 0.8],
  ["list", z.array(z.int()).min(1).max(2), [1], [1, 2, 3]],
  ["refinement", z.string().refine((text) => text !== "no"), "yes", 7],
  ["pipe", z.string().transform(Number).pipe(z.number()), "7", 7],
  ["coerced literal", z.literal(["red", "green"]), "red", "blue"],
])("arguments are checked against zod's %s", async (_, type, good, bad) => {
  const parameters = z.toJSONSchema(z.object({ value: type }), { io: "input" }) as JsonSchema;
  await expectChecked(parameters, good, bad);
  expect(uncheckedKeywords(parameters)).toEqual([]);
});

test.each<[JsonSchema, unknown, unknown]>([
  [{ type: "string", pattern: "^[\\w-.]+$" }, "a-b.c", "a b"],
  [{ type: "string", pattern: "^\\-\\@$" }, "-@", "@-"],
  [{ anyOf: [{ pattern: "^\\-$", type: "string" }, { type: "null" }] }, "-", "+"],
  [{ type: "string", pattern: "^\\-", allOf: [{ minLength: 2 }], format: "email" }, "-a@b.c", "-"],
  [{ type: "object", propertyNames: { pattern: "^\\-" } }, { "-a": 1 }, { a: 1 }],
  [
    { type: "object", properties: { pattern: { pattern: "^\\-$" } } },
    { pattern: "-" },
    { pattern: "+" },
  ],
])("a pattern that compiles without the flag u is checked: %j", async (schema, good, bad) => {
  await expectChecked(withValue(schema), good, bad);
  expect(uncheckedKeywords(schema)).toEqual([]);
});

test.each<[string, JsonSchema, unknown, unknown]>([
  ['pattern "(?i)abc"', { type: "string", pattern: "(?i)abc", minLength: 2 }, "xyz", "x"],
  [
    '$ref "https://example.com/day.json"',
    { $ref: "https://example.com/day.json", type: "string" },
    "x",
    7,
  ],
  ['$ref "#/$defs/missing"', { type: "string", $ref: "#/$defs/missing" }, "x", 7],
  [
    'patternProperties "^\\\\-"',
    {
      type: "object",
      patternProperties: { "^\\-": {}, "^a": { type: "null" } },
      additionalProperties: false,
    },
    { "-": 1, a: null },
    { a: 1 },
  ],
])("%s is not checked, the rest of its schema is", async (keyword, schema, good, bad) => {
  await expectChecked(withValue(schema), good, bad);
  expect(uncheckedKeywords(schema)).toEqual([keyword]);
});

test("data in a schema that looks like a keyword is left alone", async () => {
  const data = { pattern: "(?i)abc", $ref: "https://example.com/" };
  const schema = { enum: [data], default: data };
  await expectChecked(withValue(schema), data, {});
  expect(uncheckedKeywords({ ...schema, const: data })).toEqual([]);
});

test("a required name that the schema forbids is found at every depth, and no other", () => {
  const work = { type: "string" };
  const closed = { properties: { work }, additionalProperties: false };
  const named = (required: string[], more: object = {}): JsonSchema => ({
    type: "object",
    ...closed,
    required,
    ...more,
  });
  expect(impossibleNames(named(["work", "works"]))).toEqual(["works"]);
  expect(impossibleNames(withValue(named(["works"])))).toEqual(["works"]);
  expect(impossibleNames(named(["work"]))).toEqual([]);
  expect(impossibleNames(named(["works"], { additionalProperties: true }))).toEqual([]);
  expect(impossibleNames(named(["works"], { patternProperties: { "^w": {} } }))).toEqual([]);
});
