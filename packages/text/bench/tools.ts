/** Reads the 200 BFCL tools as schemas of their arguments. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";
import { toolSchemaToJsonSchema } from "../src/tool-schema.ts";

export function readToolSchemas(): JsonSchema[] {
  const path = join(import.meta.dirname, "../fixtures/bfcl/tools.json");
  const tools = JSON.parse(readFileSync(path, "utf8")) as readonly { parameters: JsonSchema }[];
  return tools.map(({ parameters }) => inOrder(toolSchemaToJsonSchema(parameters)));
}

/** Sorts members like our compiler does, for web-xgrammar, which keeps the given order. */
function inOrder(schema: JsonSchema): JsonSchema {
  return mapObject(schema, (key, value) => {
    if (key !== "properties") return ordered(value);
    const properties = value as { readonly [name: string]: unknown };
    const required = (schema["required"] ?? []) as readonly string[];
    const names = Object.keys(properties).sort();
    const first = required.filter((name) => names.includes(name));
    const order = [...first, ...names.filter((name) => !first.includes(name))];
    return Object.fromEntries(order.map((name) => [name, ordered(properties[name])]));
  });
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  return isObject(value) ? inOrder(value as JsonSchema) : value;
}

function mapObject(
  object: JsonSchema,
  change: (key: string, value: unknown) => unknown,
): JsonSchema {
  return Object.fromEntries(Object.entries(object).map(([key, v]) => [key, change(key, v)]));
}
