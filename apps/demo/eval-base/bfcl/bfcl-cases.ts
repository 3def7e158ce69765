/** The cases of the Berkeley Function Calling Leaderboard in this folder. README.md says where they are from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ToolDefinition } from "@waggle/protocol";

/** A schema as the leaderboard writes it: JSON Schema with the types of Python. */
export type BfclSchema = {
  readonly type: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: BfclSchema;
  readonly properties?: { readonly [name: string]: BfclSchema };
  readonly required?: readonly string[];
};

export type BfclFunction = {
  readonly name: string;
  readonly description: string;
  readonly parameters: BfclSchema;
};

/** The accepted values of each argument. An empty string among them: it may be left out. */
export type BfclAnswer = { readonly [argument: string]: readonly unknown[] };

export type BfclCategory = "simple" | "multiple";

/** A request for one call. `simple` has one function, `multiple` two to four. */
export type BfclCase = {
  readonly id: string;
  readonly category: BfclCategory;
  readonly question: string;
  readonly functions: readonly BfclFunction[];
  /** The right function and its arguments. */
  readonly answer: { readonly [name: string]: BfclAnswer };
};

/** All cases: 400 of `simple`, then 200 of `multiple`. */
export function readBfclCases(): BfclCase[] {
  const packed = readFileSync(join(import.meta.dirname, "bfcl.jsonl.gz"));
  const lines = gunzipSync(packed).toString("utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as BfclCase);
}

/** The types of JSON Schema, by those of the leaderboard. */
const TYPES: { readonly [type: string]: string } = {
  dict: "object",
  float: "number",
  tuple: "array",
  any: "string",
};

/** A function as a tool. As the leaderboard does for models that allow no dots in names, it writes `_` for them. */
export function bfclTool({ name, description, parameters }: BfclFunction): ToolDefinition {
  return {
    name: toolName(name),
    description,
    parameters: jsonSchema(parameters) as ToolDefinition["parameters"],
    source: "page",
  };
}

/** The name of a function as a tool. */
export function toolName(name: string): string {
  return name.replaceAll(".", "_");
}

function jsonSchema({
  type,
  description,
  enum: choices,
  items,
  properties,
  required,
}: BfclSchema): object {
  return {
    type: TYPES[type] ?? type,
    ...(description === undefined ? {} : { description }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(items === undefined ? {} : { items: jsonSchema(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, jsonSchema(one)]),
          ),
        }),
    ...(required === undefined ? {} : { required }),
  };
}
