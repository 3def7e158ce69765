/**
 * The leaderboard's rules for a call: the right function, no unknown argument, every required one, each of the right
 * type with an accepted value.
 *
 * Source: `ast_checker.py` of github.com/ShishirPatil/gorilla (Apache-2.0), for Python functions.
 * Differs from it: JSON has one kind of number, so 5.0 counts as a whole number, and a number is never of a wrong kind
 * besides fractions for whole numbers.
 */
import { isObject } from "@waggle/protocol";
import type { ToolCall } from "@waggle/protocol";
import { toolName } from "./bfcl-cases.ts";
import type { BfclAnswer, BfclCase, BfclSchema } from "./bfcl-cases.ts";

/** The judgment of a turn. `arguments` implies `tool`, and is what the leaderboard counts. */
export type BfclJudgment = { readonly tool: boolean; readonly arguments: boolean };

/** Judges the calls of a turn: exactly one, of the right function, with accepted arguments. */
export function judgeCalls(
  { functions, answer }: BfclCase,
  calls: readonly Pick<ToolCall, "name" | "arguments">[],
): BfclJudgment {
  const [name, accepted] = Object.entries(answer)[0] ?? ["", {}];
  const schema = functions.find((one) => one.name === name)?.parameters;
  const [call] = calls;
  const tool = calls.length === 1 && call?.name === toolName(name) && schema !== undefined;
  return { tool, arguments: tool && areAccepted(call.arguments, schema, accepted) };
}

function areAccepted(
  given: ToolCall["arguments"],
  { properties = {}, required = [] }: BfclSchema,
  accepted: BfclAnswer,
): boolean {
  return (
    required.every((name) => name in given) &&
    Object.entries(given).every(([name, value]) => {
      const [schema, values] = [properties[name], accepted[name]];
      return schema !== undefined && values !== undefined && isAccepted(value, schema, values);
    }) &&
    Object.entries(accepted).every(([name, values]) => name in given || values.includes(""))
  );
}

function isAccepted(value: unknown, schema: BfclSchema, values: readonly unknown[]): boolean {
  const sample = values.find((one) => one !== "");
  // The leaderboard accepts the name of a variable where the answer has one.
  const isVariable = sample !== undefined && !isOfType(sample, schema.type);
  if (!isOfType(value, schema.type)) {
    return sample !== undefined && typeof value === typeof sample && isIn(value, values);
  }
  if (isVariable) return isIn(value, values);
  switch (schema.type) {
    case "dict":
      return values.some((one) => isObject(one) && isAcceptedObject(value, one as BfclAnswer));
    case "array":
    case "tuple":
      return isAcceptedList(value as readonly unknown[], schema.items, values);
    case "string":
    case "any":
      return isIn(normal(value), values.filter((one) => typeof one === "string").map(normal));
    default:
      return isIn(value, values);
  }
}

function isAcceptedList(
  value: readonly unknown[],
  items: BfclSchema | undefined,
  values: readonly unknown[],
): boolean {
  const lists = values.filter((one) => Array.isArray(one));
  if (items?.type !== "dict") {
    return isIn(
      value.map(normal),
      lists.map((list) => list.map(normal)),
    );
  }
  return lists.some(
    (list) =>
      list.length === value.length &&
      value.every((one, nth) => isAcceptedObject(one, list[nth] as BfclAnswer)),
  );
}

function isAcceptedObject(value: unknown, accepted: BfclAnswer): boolean {
  if (!isObject(value)) return false;
  return (
    Object.entries(value).every(([key, one]) =>
      isIn(normal(one), (accepted[key] ?? []).map(normal)),
    ) && Object.entries(accepted).every(([key, values]) => key in value || values.includes(""))
  );
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "string":
    case "any":
      return typeof value === "string";
    case "integer":
      return Number.isInteger(value);
    case "float":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "dict":
      return isObject(value);
    default:
      return Array.isArray(value);
  }
}

/** Texts without spaces and the leaderboard's punctuation, in lower case. Other values stay as they are. */
function normal(value: unknown): unknown {
  return typeof value === "string"
    ? value
        .replaceAll(/[ ,./\-_*^]/g, "")
        .toLowerCase()
        .replaceAll("'", '"')
    : value;
}

function isIn(value: unknown, values: readonly unknown[]): boolean {
  const text = JSON.stringify(value);
  return values.some((one) => JSON.stringify(one) === text);
}
