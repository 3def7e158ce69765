/**
 * The JSON Schema keywords that a grammar can express. Every keyword is either enforced, irrelevant to values, or
 * refused with its name; none is silently ignored.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";

/** These need memory or negation, which a grammar does not have. */
const REFUSED = [
  "not",
  "if",
  "dependentSchemas",
  "dependentRequired",
  "dependencies",
  "patternProperties",
  "propertyNames",
  "contains",
  "$dynamicRef",
  "$recursiveRef",
];

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

/** @throws WaggleError `GRAMMAR_UNSUPPORTED` naming the first unsupported keyword. */
export function refuseUnsupported(schema: JsonSchema, path: string): void {
  const found = REFUSED.find((keyword) => schema[keyword] !== undefined);
  if (found !== undefined) throw unsupported(path, found);
  if (schema["uniqueItems"] === true && !(Number(schema["maxItems"]) <= 1)) {
    throw unsupported(path, "uniqueItems");
  }
}

/** The error for a feature of a schema that a grammar cannot express. */
export function unsupported(path: string, feature: string): WaggleError {
  return new WaggleError(
    "GRAMMAR_UNSUPPORTED",
    `a grammar cannot express ${feature} at ${path || "the root"} of the schema; validate the result instead`,
  );
}

/** The schema of values that match both schemas. */
export function mergeSchemas(a: JsonSchema, b: JsonSchema, path: string): JsonSchema {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const other = merged[key];
    if (other === undefined || ANNOTATIONS.includes(key)) merged[key] = value;
    else if (JSON.stringify(other) !== JSON.stringify(value)) {
      merged[key] = mergeKeyword(key, other, value, path);
    }
  }
  return merged;
}

function mergeKeyword(key: string, a: unknown, b: unknown, path: string): unknown {
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
      const other = merged[name];
      merged[name] =
        isObject(other) && isObject(schema)
          ? mergeSchemas(other, schema, `${path}/properties/${name}`)
          : (other ?? schema);
    }
    return merged;
  }
  throw unsupported(path, `two different values of ${key}`);
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

/** Whether no value can match two of the schemas, judging by types, constants and enums. */
export function areDisjoint(schemas: readonly unknown[]): boolean {
  return schemas.every((a, i) => schemas.slice(i + 1).every((b) => isDisjointPair(a, b)));
}

function isDisjointPair(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === false || b === false;
  const [typesA, typesB] = [a["type"], b["type"]];
  if (typesA !== undefined && typesB !== undefined) {
    if (intersectTypes(typesOf(typesA), typesOf(typesB)).length === 0) return true;
  }
  const [valuesA, valuesB] = [valuesOf(a), valuesOf(b)];
  if (valuesA !== null && valuesB !== null) {
    return valuesA.every((value) => !valuesB.includes(value));
  }
  // Objects with different constants of a required member: a discriminated union.
  const [propertiesA, propertiesB] = [a["properties"], b["properties"]];
  if (!isObject(propertiesA) || !isObject(propertiesB)) return false;
  const required = [a["required"], b["required"]].map((names) =>
    Array.isArray(names) ? (names as unknown[]) : [],
  );
  return Object.keys(propertiesA).some(
    (name) =>
      required.every((names) => names.includes(name)) &&
      isDisjointPair(propertiesA[name], propertiesB[name]),
  );
}

function valuesOf(schema: JsonSchema): string[] | null {
  if ("const" in schema) return [JSON.stringify(schema["const"])];
  const values = schema["enum"];
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : null;
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

/** Whether a value has this JSON Schema type. */
export function isOfType(type: unknown, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return isObject(value);
  return typeof value === type;
}
