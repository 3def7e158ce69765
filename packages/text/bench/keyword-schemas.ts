/**
 * One schema for every keyword of JSON Schema 2020-12 that constrains values, and for common combinations.
 * Members are listed in our compiler's order (`required`, then by name), so that both compilers use the same
 * order.
 */
import type { JsonSchema } from "@waggle/protocol";

const integer: JsonSchema = { type: "integer" };
const object = (properties: { [name: string]: JsonSchema }, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties).slice(0, 1),
  ...more,
});

/** The schemas with the keyword that each of them tests. */
export const KEYWORD_SCHEMAS: readonly (readonly [keyword: string, schema: JsonSchema])[] = [
  ["type: string", { type: "string" }],
  ["type: integer", integer],
  ["type: number", { type: "number" }],
  ["type: boolean", { type: "boolean" }],
  ["type: null", { type: "null" }],
  ["type: list of types", { type: ["integer", "null"] }],
  ["const", { const: { a: [1, "x", null] } }],
  ["enum", { enum: ["red", 3, null, 'a"b\\c'] }],
  ["minLength, maxLength", { type: "string", minLength: 2, maxLength: 4 }],
  ["pattern", { type: "string", pattern: "^[a-f]{2,3}-\\d+$" }],
  ["pattern: unanchored", { type: "string", pattern: "b.d" }],
  ["pattern: escapes", { type: "string", pattern: '^"\\\\[\\w\\s]+$' }],
  ["pattern: Unicode", { type: "string", pattern: "^\\p{L}+$" }],
  ["pattern + maxLength", { type: "string", pattern: "^a+$", maxLength: 3 }],
  ["format: date", { type: "string", format: "date" }],
  ["format: time", { type: "string", format: "time" }],
  ["format: date-time", { type: "string", format: "date-time" }],
  ["format: email", { type: "string", format: "email" }],
  ["format: ipv4", { type: "string", format: "ipv4" }],
  ["format: ipv6", { type: "string", format: "ipv6" }],
  ["format: uri", { type: "string", format: "uri" }],
  ["format: uuid", { type: "string", format: "uuid" }],
  ["format: duration", { type: "string", format: "duration" }],
  ["minimum, maximum: integer", { type: "integer", minimum: -13, maximum: 207 }],
  ["exclusive bounds: integer", { type: "integer", exclusiveMinimum: 3, exclusiveMaximum: 9 }],
  ["minimum, maximum: number", { type: "number", minimum: 0.5, maximum: 0.7 }],
  ["exclusive bounds: number", { type: "number", exclusiveMinimum: -1, exclusiveMaximum: 2.5 }],
  ["minimum alone", { type: "number", minimum: 99.5 }],
  ["multipleOf: integer, bounded", { type: "integer", multipleOf: 7, minimum: -20, maximum: 60 }],
  ["multipleOf: integer", { type: "integer", multipleOf: 5 }],
  ["multipleOf: number", { type: "number", multipleOf: 0.25 }],
  ["items", { type: "array", items: integer }],
  ["minItems, maxItems", { type: "array", items: integer, minItems: 2, maxItems: 4 }],
  ["prefixItems", { type: "array", prefixItems: [integer, { type: "boolean" }], items: false }],
  ["uniqueItems", { type: "array", items: { enum: [1, 2] }, minItems: 2, uniqueItems: true }],
  ["contains", { type: "array", items: integer, contains: { const: 7 } }],
  ["properties, required", object({ b: integer, a: { type: "boolean" } })],
  ["optional properties only", object({ a: integer, b: { type: "boolean" } }, { required: [] })],
  ["required, no property", { type: "object", properties: { a: integer }, required: ["b"] }],
  ["additionalProperties: false", object({ a: integer }, { additionalProperties: false })],
  ["additionalProperties: schema", { type: "object", additionalProperties: integer }],
  ["minProperties", { type: "object", additionalProperties: integer, minProperties: 2 }],
  ["maxProperties", { type: "object", additionalProperties: integer, maxProperties: 1 }],
  ["patternProperties", { type: "object", patternProperties: { "^a$": integer } }],
  ["propertyNames", { type: "object", propertyNames: { maxLength: 2 } }],
  [
    "dependentRequired",
    object(
      { a: { const: 1 }, b: { const: 1 }, c: { const: 1 } },
      { required: [], dependentRequired: { b: ["c"] } },
    ),
  ],
  ["anyOf", { anyOf: [integer, { type: "boolean" }, { type: "array", items: integer }] }],
  ["oneOf: disjoint", { oneOf: [integer, { type: "boolean" }] }],
  ["oneOf: overlapping", { oneOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }],
  ["allOf", { allOf: [{ type: "integer", minimum: 3 }, { maximum: 9 }] }],
  ["anyOf beside properties", object({ a: integer }, { anyOf: [object({ b: integer })] })],
  ["not", { type: "integer", minimum: 0, maximum: 3, not: { const: 2 } }],
  [
    "if, then, else",
    object(
      { a: { type: "boolean" }, b: { enum: [1, 2] } },
      {
        required: ["a", "b"],
        if: { properties: { a: { const: true } } },
        then: { properties: { b: { const: 1 } } },
      },
    ),
  ],
  ["$ref", { $defs: { n: integer }, type: "array", items: { $ref: "#/$defs/n" } }],
  [
    "$ref: recursive",
    {
      $defs: { node: object({ value: integer, next: { $ref: "#/$defs/node" } }) },
      $ref: "#/$defs/node",
    },
  ],
  ["$ref beside keywords", { $defs: { n: integer }, $ref: "#/$defs/n", minimum: 3, maximum: 9 }],
  ["no type", { minimum: 5, maximum: 7 }],
  ["true", {}],
];
