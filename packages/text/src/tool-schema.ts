/**
 * Converts tool schemas of other dialects to JSON Schema. Function-calling data sets (BFCL) and Python or Java
 * signatures use type names that JSON Schema does not know, which validators refuse and grammars cannot express.
 *
 * What is changed:
 * - Type names become JSON Schema's (`TYPES`): `dict` → `object`, `float` → `number`, `tuple` →
 *   `array`, `any` and `""` → no constraint.
 * - An enum on an array moves to its items, unless it contains arrays: it lists the allowed items.
 * - `enum` values of another type than the schema's are dropped, since no value could satisfy both.
 * - `optional` is dropped: everything that is not in `required` is optional in JSON Schema.
 * - `required: true` on a property moves to its object's `required` list. A list is kept.
 * - Names in `required` without a property are kept: the member must be present, with any value.
 * - Keywords for another type (`minItems` on an integer) are dropped, since JSON Schema ignores them too.
 * - `default` and `description` are kept: they do not affect validity.
 */
import { WaggleError, isObject } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";

const TYPES: { readonly [name: string]: string | null } = {
  object: "object",
  dict: "object",
  dictionary: "object",
  map: "object",
  hashmap: "object",
  array: "array",
  list: "array",
  arraylist: "array",
  tuple: "array",
  set: "array",
  string: "string",
  str: "string",
  char: "string",
  number: "number",
  float: "number",
  double: "number",
  integer: "integer",
  int: "integer",
  long: "integer",
  short: "integer",
  byte: "integer",
  bigint: "integer",
  boolean: "boolean",
  bool: "boolean",
  null: "null",
  none: "null",
  any: null,
  "": null,
};

const ARRAY_KEYWORDS = ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"];
const STRING_KEYWORDS = ["minLength", "maxLength", "pattern"];
const NUMBER_KEYWORDS = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
];
const OBJECT_KEYWORDS = ["properties", "required", "additionalProperties"];
const KEYWORDS: { readonly [type: string]: readonly string[] } = {
  array: ARRAY_KEYWORDS,
  string: STRING_KEYWORDS,
  number: NUMBER_KEYWORDS,
  integer: NUMBER_KEYWORDS,
  object: OBJECT_KEYWORDS,
};
const COMPOSITIONS = ["allOf", "anyOf", "oneOf"];

/**
 * A JSON Schema with the same meaning. A valid JSON Schema is returned unchanged.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an unknown type.
 */
export function toolSchemaToJsonSchema(schema: JsonSchema): JsonSchema {
  return convert(schema, "");
}

function convert(schema: JsonSchema, path: string): JsonSchema {
  const { type: given, optional: _optional, required, ...rest } = schema;
  const type = typeName(given, path);
  const result: Record<string, unknown> = type === undefined ? {} : { type };
  for (const [key, value] of Object.entries(rest)) {
    if (isForAnother(key, type)) continue;
    if (key === "properties" && isObject(value)) {
      result[key] = mapValues(value, (part, name) => convertAny(part, `${path}/${name}`));
    } else if (key === "$defs" || key === "definitions") {
      result[key] = isObject(value)
        ? mapValues(value, (part, name) => convertAny(part, `${path}/${name}`))
        : value;
    } else if (COMPOSITIONS.includes(key) && Array.isArray(value)) {
      result[key] = value.map((part) => convertAny(part, path));
    } else if (key === "items" && Array.isArray(value)) {
      result["prefixItems"] = value.map((part) => convertAny(part, `${path}/items`));
    } else if (key === "items" || key === "additionalProperties" || key === "not") {
      result[key] = convertAny(value, `${path}/${key}`);
    } else result[key] = value;
  }
  const names = requiredNames(required, rest["properties"]);
  if (names.length > 0 && (type === undefined || type === "object")) result["required"] = names;
  return withFittingEnum(result);
}

const convertAny = (part: unknown, path: string): unknown =>
  isObject(part) ? convert(part, path) : part;

function typeName(given: unknown, path: string): string | string[] | undefined {
  if (given === undefined) return undefined;
  if (Array.isArray(given)) {
    const names = given.map((one: unknown) => typeName(one, path));
    return names.includes(undefined) ? undefined : names.map(String);
  }
  const name = typeof given === "string" ? TYPES[given.toLowerCase()] : undefined;
  if (name === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `unknown type ${JSON.stringify(given)} at ${path || "the root"} of the tool's schema; use string, number, integer, boolean, array or object`,
    );
  }
  return name ?? undefined;
}

function isForAnother(keyword: string, type: string | string[] | undefined): boolean {
  if (typeof type !== "string") return false;
  const owners = Object.keys(KEYWORDS).filter((owner) => KEYWORDS[owner]?.includes(keyword));
  return owners.length > 0 && !owners.includes(type);
}

function requiredNames(required: unknown, properties: unknown): string[] {
  const listed = Array.isArray(required)
    ? required.filter((name): name is string => typeof name === "string")
    : [];
  const flagged = isObject(properties)
    ? Object.entries(properties)
        .filter(([, property]) => isObject(property) && property["required"] === true)
        .map(([name]) => name)
    : [];
  return [...new Set([...listed, ...flagged])];
}

function withFittingEnum(schema: Record<string, unknown>): JsonSchema {
  const { type, enum: values, ...rest } = schema;
  if (!Array.isArray(values) || typeof type !== "string") return schema;
  if (type === "array" && !values.some((value) => Array.isArray(value))) {
    const items = isObject(rest["items"]) ? rest["items"] : {};
    return { ...rest, type, items: withFittingEnum({ ...items, enum: values }) };
  }
  return { ...rest, type, enum: values.filter((value) => hasType(value, type)) };
}

function hasType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function mapValues(
  object: JsonSchema,
  map: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, map(value, name)]),
  );
}
