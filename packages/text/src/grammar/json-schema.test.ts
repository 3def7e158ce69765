import { Validator } from "@cfworker/json-schema";
import { type JsonSchema, seededRandom } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleSize } from "../../../../test/fixtures/long.ts";
import { createTokenizer } from "../create-tokenizer.ts";
import type { TokenizerJson } from "../tokenizer-json.ts";
import { createGrammarCompiler } from "./compiler.ts";
import { FORMAT_PATTERNS } from "./formats.ts";
import { compile, idsOf, sample, shortestBudget, tokenizerFiles } from "./grammar.fixture.ts";

const WORDS = [
  '{"',
  '":',
  '", "',
  '"}',
  "}}",
  "true",
  "false",
  "null",
  '["',
  '"]',
  "00",
  " the",
  "🙂",
];
const files = tokenizerFiles(WORDS);
const compiler = createGrammarCompiler(files);
const tokenizerJsonOf = (from: ReadonlyMap<string, Uint8Array>) =>
  JSON.parse(new TextDecoder().decode(from.get("tokenizer.json"))) as TokenizerJson;
const tokenizer = createTokenizer({ tokenizerJson: tokenizerJsonOf(files) });

const isValid = (schema: JsonSchema, value: unknown) =>
  new Validator(structuredClone(schema), "2020-12").validate(value).valid;

/** Texts sampled under a schema, with budgets from the smallest possible. */
async function texts(schema: JsonSchema, count: number, seed = 1): Promise<string[]> {
  const grammar = await compiler.compile({ kind: "json-schema", schema });
  const random = seededRandom(seed);
  const shortest = shortestBudget(grammar);
  return Array.from({ length: count }, () => {
    const budget = shortest + Math.floor(random() * 40);
    return tokenizer.decode(sample(grammar, budget, random));
  });
}

const optionalNumber = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
const bound = fc.oneof(
  fc.integer({ min: -120, max: 120 }),
  fc.constantFrom(-0.5, 0.25, 1e-3, 99.9),
);
/** A maximum that is at least the minimum. */
const atMost = (minimum: number | undefined, more: number | undefined) =>
  more === undefined ? undefined : (minimum ?? 0) + more;
const defined = (schema: Record<string, unknown>): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));

const { schema: randomSchema } = fc.letrec<{ schema: JsonSchema; leaf: JsonSchema }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<JsonSchema>(
      {},
      { type: "boolean" },
      { type: "null" },
      { type: ["string", "null"] },
      { type: "string", format: "date" },
      { type: "string", format: "uuid" },
      { type: "string", format: "ipv4" },
      { type: "string", format: "email" },
      { type: "string", format: "date-time" },
      { type: "string", format: "uri" },
      { type: "string", pattern: "^[a-f]{2,3}-\\d+$" },
      { type: "string", pattern: 'b"\\\\.x?' },
      { type: "integer", multipleOf: 7, minimum: -20, maximum: 60 },
    ),
    fc
      .record({ minLength: optionalNumber, more: optionalNumber })
      .map(({ minLength, more }) =>
        defined({ type: "string", minLength, maxLength: atMost(minLength, more) }),
      ),
    fc
      .record({ type: fc.constantFrom("integer", "number"), a: bound, b: bound, open: fc.nat(3) })
      .map(({ type, a, b, open }) =>
        defined({
          type,
          [open & 1 ? "minimum" : "exclusiveMinimum"]: Math.floor(Math.min(a, b)),
          [open & 2 ? "maximum" : "exclusiveMaximum"]: Math.max(a, b) + 2,
        }),
      ),
    fc
      .array(fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.constant(null)), {
        minLength: 1,
        maxLength: 4,
      })
      .map((values): JsonSchema => ({ enum: values })),
  ),
  schema: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    tie("leaf"),
    fc
      .dictionary(fc.string({ minLength: 1, maxLength: 5 }), tie("schema"), {
        maxKeys: 4,
        noNullPrototype: true,
      })
      .chain((properties) =>
        fc.subarray(Object.keys(properties)).map((required): JsonSchema => ({
          type: "object",
          properties,
          required,
          additionalProperties: false,
        })),
      ),
    fc
      .record({ items: tie("schema"), minItems: optionalNumber, more: optionalNumber })
      .map(({ items, minItems, more }) =>
        defined({ type: "array", items, minItems, maxItems: atMost(minItems, more) }),
      ),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf): JsonSchema => ({ anyOf })),
    fc
      .array(tie("leaf"), { minLength: 1, maxLength: 3 })
      .map((prefixItems): JsonSchema => ({ type: "array", prefixItems, items: false })),
  ),
}));

test("texts sampled under random schemas and budgets are valid", async () => {
  await fc.assert(
    fc.asyncProperty(randomSchema, fc.integer(), async (schema, seed) => {
      for (const text of await texts(schema, 3, seed)) {
        expect(isValid(schema, JSON.parse(text)), `${JSON.stringify(schema)}: ${text}`).toBe(true);
      }
    }),
    { numRuns: sampleSize(40, 150) },
  );
});

test("texts of a format are valid up to the greatest length of its pattern", async () => {
  const longFiles = tokenizerFiles(["abcdefghijklmno"]);
  const longer = createGrammarCompiler(longFiles);
  const longerTokenizer = createTokenizer({ tokenizerJson: tokenizerJsonOf(longFiles) });
  for (const format of Object.keys(FORMAT_PATTERNS)) {
    const schema = { type: "string", format };
    const grammar = await longer.compile({ kind: "json-schema", schema });
    const random = seededRandom(3);
    for (let i = 0; i < 30; i++) {
      const ids = sample(grammar, 400, random);
      const text = longerTokenizer.decode(ids);
      expect(isValid(schema, JSON.parse(text)), `${format}: ${text}`).toBe(true);
    }
  }
});

test("references, recursion and merged schemas are supported", async () => {
  const schema = {
    $defs: {
      node: {
        type: "object",
        properties: { value: { type: "integer" }, next: { $ref: "#/$defs/node" } },
        required: ["value"],
      },
    },
    allOf: [{ $ref: "#/$defs/node" }, { properties: { value: { minimum: 3, maximum: 9 } } }],
  };
  const found = await texts(schema, 40);
  for (const text of found) expect(isValid(schema, JSON.parse(text))).toBe(true);
  expect(found.some((text) => text.includes("next"))).toBe(true);
});

/** How pydantic, zod and people write lists and trees. */
test.each<[string, JsonSchema]>([
  [
    "a union with a default",
    { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }], default: null },
  ],
  ["a described reference", { $ref: "#/$defs/node", description: "The next one." }],
  ["a described allOf", { allOf: [{ $ref: "#/$defs/node" }], description: "The next one." }],
  ["described items", { type: "array", items: { $ref: "#/$defs/node", title: "Child" } }],
])("a schema can contain itself beside other keywords: %s", async (_, next) => {
  const properties = { value: { type: "integer" }, next };
  const node = { type: "object", properties, required: ["value"] };
  const schema = { $defs: { node }, $ref: "#/$defs/node" };
  const found = await texts(schema, 40);
  for (const text of found) expect(isValid(schema, JSON.parse(text))).toBe(true);
  expect(found.some((text) => /"next":.*"value":/.test(text))).toBe(true);
});

/** A pattern with its length, and names by pattern, as TypeBox writes records. */
test.each<[JsonSchema]>([
  [{ type: "string", pattern: "^[a-z]+$", minLength: 2, maxLength: 4 }],
  [{ type: "string", pattern: "^[A-Z]\\d{2}[a-z]*$", maxLength: 5 }],
  [{ type: "string", pattern: "^id-", maxLength: 6 }],
  [{ type: "string", pattern: "^a+$|^\\d*$", minLength: 1, maxLength: 2 }],
  [
    {
      type: "object",
      patternProperties: { "^x-": { type: "integer" } },
      additionalProperties: false,
    },
  ],
])("is enforced wholly: %j", async (schema) => {
  const found = await texts(schema, 20);
  for (const text of found)
    expect({ text, ok: isValid(schema, JSON.parse(text)) }).toEqual({ text, ok: true });
  expect(new Set(found).size).toBeGreaterThan(1);
});

test("a oneOf gives texts of each of its schemas", async () => {
  const branch = (kind: string, extra: JsonSchema) => ({
    type: "object",
    properties: { kind: { const: kind }, ...extra },
    required: ["kind"],
  });
  const oneOf = [branch("a", { x: { type: "integer" } }), branch("b", { y: { type: "string" } })];
  const found = await texts({ oneOf }, 20);
  for (const text of found) expect(isValid({ oneOf }, JSON.parse(text))).toBe(true);
  expect(new Set(found.map((text) => (JSON.parse(text) as { kind: string }).kind)).size).toBe(2);
});

/** Schemas with a part that no grammar expresses, and the schema that the texts satisfy at least. */
test.each<[JsonSchema, JsonSchema]>([
  [
    { type: "array", items: { type: "integer" }, uniqueItems: true },
    { type: "array", items: { type: "integer" } },
  ],
  [{ type: "string", not: { const: "a" } }, { type: "string" }],
  [{ type: "boolean", if: { const: true }, then: false }, { type: "boolean" }],
  [{ type: "object", patternProperties: { "^a": { type: "null" } } }, { type: "object" }],
  [
    {
      type: "object",
      propertyNames: { maxLength: 3 },
      additionalProperties: { type: "integer" },
    },
    { type: "object", additionalProperties: { type: "integer" } },
  ],
  [{ type: "array", contains: { const: 1 } }, { type: "array" }],
  [
    { type: "object", minProperties: 1, maxProperties: 2, additionalProperties: true },
    { type: "object", maxProperties: 2 },
  ],
  [{ type: "object", dependentRequired: { a: ["b"] } }, { type: "object" }],
  [
    { type: "string", pattern: "^[a-z]+(-[a-z]+)*$", maxLength: 3 },
    { type: "string", pattern: "^[a-z]+(-[a-z]+)*$" },
  ],
  [
    { type: "string", pattern: "^a{5}b?$", maxLength: 3 },
    { type: "string", pattern: "^a{5}b?$" },
  ],
  [
    { type: "string", format: "date", pattern: "^2024-01-\\d\\d$" },
    { type: "string", pattern: "^2024-01-\\d\\d$" },
  ],
  [
    { type: "string", format: "date", minLength: 3 },
    { type: "string", format: "date", minLength: 3 },
  ],
  [
    { type: "string", format: "email", pattern: "^(?!\\.)\\S+@\\S+$" },
    { type: "string", format: "email", pattern: "^(?!\\.)\\S+@\\S+$" },
  ],
  [
    { type: "string", pattern: "^a(?=b)", minLength: 2, maxLength: 4 },
    { type: "string", minLength: 2, maxLength: 4 },
  ],
  [{ type: "string", format: "regex" }, { type: "string" }],
  [
    { type: "integer", minimum: 3, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    { const: 4 },
  ],
  [
    { type: "number", multipleOf: 0.1, minimum: 1, maximum: 2 },
    { type: "number", minimum: 1, maximum: 2 },
  ],
  [
    { type: "number", multipleOf: 5 },
    { type: "number", multipleOf: 1 },
  ],
  [{ oneOf: [{ type: "integer" }, { type: "number" }] }, { type: "number" }],
  [
    { anyOf: [{ type: "integer" }, { type: "null" }], oneOf: [{ const: 1 }, { const: null }] },
    { type: ["integer", "null"] },
  ],
  [
    { allOf: [{ pattern: "^a" }, { pattern: "b$" }], type: "string" },
    { type: "string", pattern: "^a" },
  ],
  [{ $ref: "https://example.com/schema" }, {}],
  [{ type: "object", properties: {}, $ref: "#an-anchor" }, { type: "object" }],
  [{ type: "string", pattern: "[z-a]" }, { type: "string" }],
  [
    { type: "string", pattern: "^[\\w-.]+\\@$" },
    { type: "string", pattern: "^[\\w.\\-]+@$" },
  ],
])("what no grammar expresses is left out, and the rest is enforced: %j", async (schema, least) => {
  for (const text of await texts(schema, 12)) {
    expect(isValid(least, JSON.parse(text))).toBe(true);
  }
});

test("one property that no grammar expresses leaves the others as strict as before", async () => {
  const count = { type: "integer", minimum: 3, maximum: 5 };
  const properties = {
    tags: { type: "array", items: { type: "string" }, uniqueItems: true },
    count,
  };
  const found = await texts({ type: "object", properties, required: ["count", "tags"] }, 12);
  for (const text of found) {
    const value = JSON.parse(text) as { count: unknown; tags: unknown };
    expect(isValid(count, value.count)).toBe(true);
    expect(isValid({ type: "array", items: { type: "string" } }, value.tags)).toBe(true);
  }
});

test.each<[string, JsonSchema]>([
  ["/properties/p lists no value of its type", { type: "string", enum: [1, 2] }],
  ["refers to #/$defs/missing, which does not exist", { $ref: "#/$defs/missing" }],
  ['/properties/p has the unknown type "dict"; correct', { type: "dict" }],
  ["needs more items than it allows", { type: "array", items: false, minItems: 1 }],
  ["begins with itself", { allOf: [{ $ref: "#/properties/p" }], title: "p" }],
])("a mistake in a schema is refused: %s", async (message, schema) => {
  await expect(
    compile({
      kind: "json-schema",
      schema: { type: "object", properties: { p: schema }, required: ["p"] },
    }),
  ).rejects.toMatchObject({
    code: "GRAMMAR_UNSUPPORTED",
    message: expect.stringContaining(message) as string,
  });
});

test("members come in the order of `required`, then by name, whatever the order of properties", async () => {
  const schema = (order: readonly string[]) => ({
    type: "object",
    properties: Object.fromEntries(order.map((name) => [name, { const: 1 }])),
    required: ["z", "b"],
  });
  const one = await compiler.compile({ kind: "json-schema", schema: schema(["a", "b", "c", "z"]) });
  const other = await createGrammarCompiler(files).compile({
    kind: "json-schema",
    schema: schema(["z", "c", "b", "a"]),
  });
  expect(other.id).toBe(one.id);
  const [a, b] = [one.createMatcher(), other.createMatcher()];
  const random = seededRandom(5);
  let text = "";
  for (let left = 60; !a.isComplete; left--) {
    const allowed = idsOf(a.nextMask(left));
    expect(idsOf(b.nextMask(left))).toEqual(allowed);
    const id = allowed[Math.floor(random() * allowed.length)] as number;
    a.accept(id);
    b.accept(id);
    text += tokenizer.decode([id], { skipSpecialTokens: true });
  }
  expect(text.replaceAll(" ", "")).toMatch(/^\{"z":1,"b":1(,"a":1)?(,"c":1)?\}$/);
});

test("special tokens are never allowed, and the stop token only at the end", async () => {
  const grammar = await compile({ kind: "json-schema", schema: { type: "string" } });
  const matcher = grammar.createMatcher();
  const quote = 2 + '"'.charCodeAt(0);
  expect(idsOf(matcher.nextMask(9))).toEqual([quote]);
  matcher.accept(quote);
  const inside = idsOf(matcher.nextMask(9));
  // Printable ASCII and DEL, and the first bytes of longer characters.
  expect(inside).toHaveLength(96 + 51);
  expect(inside.filter((id) => id < 2)).toEqual([]);
  matcher.accept(quote);
  expect(matcher.isComplete).toBe(true);
  expect(idsOf(matcher.nextMask(9))).toEqual([0]);
  expect(() => matcher.accept(quote)).toThrow(/does not allow token/);
  matcher.accept(0);
  expect(() => matcher.nextMask(9)).toThrow(/already ended/);
});
