/** Refuses a tool with a mistake, naming the field and what to write instead. */
import { isObject, WaggleError } from "@waggle/protocol";
import { jsonSchemaOf } from "./argument-schema.ts";
import { kindOf, shown } from "./shown-value.ts";

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const LONGEST_CALL_MS = 120_000;
/** Fields with a text that visitors read. */
const TEXT_FIELDS = ["label", "title"];
const FIELDS = ["description", "parameters", "run", "timeoutMs"];

/** What differs between kinds of tools. */
type ToolKind = {
  /** How to write `run`. */
  readonly run: string;
  /** Fields besides those that every tool has. */
  readonly fields?: readonly string[];
};

/**
 * @param place - names the tools in errors: `environment "desk": tools`.
 * @throws WaggleError `INVALID_ARGUMENT` for the first mistake.
 */
export function requireDefinedTools(place: string, tools: unknown, kind: ToolKind): void {
  if (!isObject(tools) || Array.isArray(tools)) {
    throw mistake(
      `${place} is ${kindOf(tools)}; write an object with a tool under each name, or {} for none`,
    );
  }
  for (const [name, tool] of Object.entries(tools)) {
    requireTool(`${place}.${name.slice(0, 64)}`, name, tool, kind);
  }
}

function requireTool(
  place: string,
  name: string,
  tool: unknown,
  { run: how, fields = [] }: ToolKind,
): void {
  if (!TOOL_NAME.test(name)) {
    throw mistake(`${place} has a name with other characters than letters, digits, _ and -`);
  }
  if (!isObject(tool)) {
    throw mistake(`${place} is ${kindOf(tool)}; write { description, parameters, run }`);
  }
  const known = [...FIELDS, ...fields];
  const { description, run, timeoutMs = 1 } = tool;
  const unknown = Object.keys(tool).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw mistake(
      `${place} has no field ${unknown.slice(0, 64)}; the fields are ${known.join(", ")}`,
    );
  }
  if (typeof description !== "string" || description.trim() === "") {
    throw mistake(
      `${place}.description is ${shown(description)}; write one sentence for the model`,
    );
  }
  for (const field of TEXT_FIELDS) requireText(`${place}.${field}`, field, tool[field]);
  jsonSchemaOf(`${place}.parameters`, tool["parameters"]);
  if (typeof run !== "function") {
    throw mistake(`${place}.run is ${shown(run)}; write run: ${how} => a JSON value`);
  }
  if (!(typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= LONGEST_CALL_MS)) {
    throw mistake(
      `${place}.timeoutMs is ${shown(timeoutMs)}; write 1 to ${LONGEST_CALL_MS} milliseconds`,
    );
  }
}

/** Functions of the arguments are checked when they are called: one that fails costs the label only. */
function requireText(place: string, field: string, given: unknown): void {
  if (given === undefined || (field === "label" && typeof given === "function")) return;
  const texts = isObject(given) ? Object.values(given) : [given];
  const areTexts = texts.every((text) => typeof text === "string" && text.trim() !== "");
  if (areTexts && texts.length > 0) return;
  throw mistake(
    `${place} is ${shown(given)}; write a text, or one for each language: { en: "…", de: "…" }`,
  );
}

function mistake(message: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", message);
}
