/**
 * How JSON Schema keywords combine, which type they apply to, and which mistakes are refused. A grammar cannot
 * express a keyword that needs memory or negation (`not`, `uniqueItems`, `contains`, …). The grammar then allows more
 * than the schema, and the reader of the value validates it.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";

/** Bounds that can be combined when schemas are merged. */
const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const ANNOTATIONS = [
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "$anchor",
];

/** The schema `false` as an object. */
export const NOTHING: JsonSchema = { not: {} };

/** Whether a schema is `false`, or excludes every value, as zod writes `never`. */
export function isNothing(schema: unknown): boolean {
  if (!isObject(schema)) return schema === false;
  const { not } = schema;
  return not === true || (isObject(not) && Object.keys(not).length === 0);
}

/** The error for a mistake in a schema. @param mistake - as in `has an unknown type` */
export function schemaMistake(path: string, mistake: string): WaggleError {
  return new WaggleError(
    "GRAMMAR_UNSUPPORTED",
    `the schema at ${path || "the root"} ${mistake}; correct the schema`,
  );
}

/** The schema of values that match both schemas, or a weaker one: of two keywords that differ, the first counts. */
export function mergeSchemas(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const other = merged[key];
    if (other === undefined || ANNOTATIONS.includes(key)) merged[key] = value;
    else if (JSON.stringify(other) !== JSON.stringify(value)) {
      merged[key] = mergeKeyword(key, other, value);
    }
  }
  return merged;
}

function mergeKeyword(key: string, a: unknown, b: unknown): unknown {
  if (key === "type") return intersectTypes(typesOf(a), typesOf(b));
  if (key === "required" && Array.isArray(a) && Array.isArray(b)) return [...new Set([...a, ...b])];
  if (key === "enum" && Array.isArray(a) && Array.isArray(b)) {
    const texts = b.map((value) => JSON.stringify(value));
    return a.filter((value) => texts.includes(JSON.stringify(value)));
  }
  if (LOWER_BOUNDS.includes(key)) return Math.max(Number(a), Number(b));
  if (UPPER_BOUNDS.includes(key)) return Math.min(Number(a), Number(b));
  if (key === "properties" && isObject(a) && isObject(b)) {
    const merged: Record<string, unknown> = { ...a };
    for (const [name, schema] of Object.entries(b)) {
      const other = memberOf(merged, name);
      merged[name] =
        isObject(other) && isObject(schema) ? mergeSchemas(other, schema) : (other ?? schema);
    }
    return merged;
  }
  return a;
}

const typesOf = (type: unknown): unknown[] => (Array.isArray(type) ? type : [type]);

function intersectTypes(a: readonly unknown[], b: readonly unknown[]): unknown[] {
  const both = a.filter((type) => b.includes(type));
  const isWhole =
    (a.includes("integer") && b.includes("number")) ||
    (a.includes("number") && b.includes("integer"));
  return isWhole && !both.includes("integer") && !both.includes("number")
    ? [...both, "integer"]
    : both;
}

/**
 * The schema that a `$ref` refers to. Other documents and anchors are not read: their values can be any. So can those
 * of a reference within a part that has an `$id`, which is a document of its own.
 *
 * @throws WaggleError `GRAMMAR_UNSUPPORTED` if it does not exist
 */
export function resolveReference(pointer: string, root: JsonSchema, path: string): JsonSchema {
  if (!/^#(?:$|\/)/.test(pointer)) return {};
  let at: unknown = root;
  for (const part of pointer.split("/").slice(1)) {
    at = memberOf(at, decoded(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  if (isObject(at)) return at;
  if (typeof at === "boolean") return at ? {} : NOTHING;
  if (Object.values(root).some(hasId)) return {};
  throw schemaMistake(path, `refers to ${pointer}, which does not exist`);
}

/** An own member. `undefined` for `constructor` and others that every object has. */
export function memberOf(object: unknown, name: string): unknown {
  if (!isObject(object) && !Array.isArray(object)) return undefined;
  return Object.hasOwn(object, name) ? (object as JsonSchema)[name] : undefined;
}

/** A part of a pointer. A `%` that encodes nothing is part of a name. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function hasId(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(hasId);
  if (!isObject(part)) return false;
  return typeof part["$id"] === "string" || Object.values(part).some(hasId);
}

/** The type that a keyword applies to. */
const KEYWORD_TYPES: { readonly [keyword: string]: string } = {
  properties: "object",
  required: "object",
  additionalProperties: "object",
  minProperties: "object",
  maxProperties: "object",
  items: "array",
  prefixItems: "array",
  minItems: "array",
  maxItems: "array",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
};

/** The type that a schema's keywords imply; `undefined` if they imply none. */
export function typeByKeywords(schema: JsonSchema): string | undefined {
  const found = Object.keys(KEYWORD_TYPES).find((keyword) => schema[keyword] !== undefined);
  return found === undefined ? undefined : KEYWORD_TYPES[found];
}

/** How many characters, items or members a schema allows. */
export function countsOf(
  schema: JsonSchema,
  what: "Length" | "Items" | "Properties",
): { readonly min: number; readonly max: number } {
  const [min, max] = [schema[`min${what}`], schema[`max${what}`]];
  return {
    min: typeof min === "number" ? min : 0,
    max: typeof max === "number" ? max : Infinity,
  };
}

const TYPES = ["null", "boolean", "string", "integer", "number", "array", "object"];

/** The first of a schema's types that JSON Schema does not have, if any. */
export function unknownType(types: readonly unknown[]): unknown {
  return types.find((type) => !TYPES.includes(type as string));
}

/** Whether a value has this JSON Schema type. */
export function isOfType(type: unknown, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return isObject(value);
  return typeof value === type;
}

/** The schema of the first pattern that the name matches. */
export function schemaByPattern(patterns: JsonSchema, name: string): unknown {
  for (const [pattern, schema] of Object.entries(patterns)) {
    try {
      if (new RegExp(pattern, "u").test(name)) return schema;
    } catch {
      // A pattern that JavaScript cannot read matches no name.
    }
  }
  return undefined;
}
