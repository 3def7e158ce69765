/**
 * The members that an object schema allows, as one object schema without references and compositions. Formats that
 * write arguments one by one need it. It allows more than the schema: members of different branches may meet.
 */
import { isObject, type JsonSchema } from "@waggle/protocol";
import { mergeSchemas, resolveReference } from "./schema-keywords.ts";

/** @param root - the schema that `$ref` refers to */
export function flatObject(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const { $ref, allOf, anyOf, oneOf, ...rest } = schema;
  // A schema that refers to itself at once has no members.
  if (depth > MAX_DEPTH) return rest;
  const flat = (part: unknown): JsonSchema =>
    isObject(part) ? flatObject(part, root, depth + 1) : {};
  const referred = typeof $ref === "string" ? [flat(resolveReference($ref, root, ""))] : [];
  const all = Array.isArray(allOf) ? allOf.map(flat) : [];
  const unions = [anyOf, oneOf].filter((union): union is unknown[] => Array.isArray(union));
  const parts = [referred, all, unions.map((union) => either(union.map(flat)))].flat();
  return parts.reduce<JsonSchema>((merged, part) => mergeSchemas(merged, part), rest);
}

const MAX_DEPTH = 5;

/** Members of any branch; only those that every branch requires are required. */
function either(branches: readonly JsonSchema[]): JsonSchema {
  const values = new Map<string, unknown[]>();
  for (const { properties } of branches) {
    for (const [name, value] of Object.entries(isObject(properties) ? properties : {})) {
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  const [first = [], ...others] = branches.map(({ required }) =>
    Array.isArray(required) ? (required as string[]) : [],
  );
  const properties = [...values].map(([name, found]) => {
    const texts = new Set(found.map((one) => JSON.stringify(one)));
    return [name, texts.size === 1 ? found[0] : { anyOf: found }] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: first.filter((name) => others.every((names) => names.includes(name))),
  };
}
