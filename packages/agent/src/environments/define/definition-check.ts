/** Refuses a definition with a mistake, naming the field and what to write instead. */
import { isObject, WaggleError } from "@waggle/protocol";
import { jsonSchemaOf } from "./argument-schema.ts";

/** Names of tasks have at most 64 characters. */
const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MOST_LEVELS = 64;
const LONGEST_CALL_MS = 120_000;

const REQUIRED = {
  tasks: "tasks: ({ pick }) => ({ request, state, data })",
  verify: "verify: ({ state, text, data }) => true or false",
} as const;
const FUNCTIONS = {
  user: "user: ({ text, state, data }) => a reply, or null to end the task",
  demonstrate: "demonstrate: ({ data }) => a list of turns, or a generator",
  mistake: "mistake: (turn, task) => a wrong turn",
  gold: "gold: ({ data }) => a list of turns",
  nearMiss: "nearMiss: ({ data }) => a list of lists of turns",
} as const;
const COUNTS = {
  levels: MOST_LEVELS,
  maxTurns: 1000,
  maxTurnTokens: 1_000_000,
  contextLength: 1_000_000,
} as const;
const FIELDS = [
  "name",
  "prompt",
  "tools",
  "splits",
  ...Object.keys({ ...REQUIRED, ...FUNCTIONS, ...COUNTS }),
];
const TOOL_FIELDS = ["description", "parameters", "run", "timeoutMs"];

/** @throws WaggleError `INVALID_ARGUMENT` for the first mistake. */
export function requireDefinition(definition: unknown): void {
  if (!isObject(definition)) {
    throw mistake(`defineEnvironment got ${kindOf(definition)}; pass an object with a name`);
  }
  const { name } = definition;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw mistake(
      `name is ${shown(name)}; write lower-case letters, digits and hyphens, such as "support-desk"`,
    );
  }
  requireFields(name, definition);
  requireTools(name, definition["tools"]);
}

function requireFields(name: string, definition: { readonly [field: string]: unknown }): void {
  const refuse = (field: string, instead: string): never => {
    throw mistake(`environment "${name}": ${field} is ${shown(definition[field])}; ${instead}`);
  };
  const unknown = Object.keys(definition).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    throw mistake(
      `environment "${name}" has no field ${unknown.slice(0, 64)}; the fields are ${FIELDS.join(", ")}`,
    );
  }
  const { prompt, splits = "automatic" } = definition;
  if (typeof prompt !== "string" || prompt.trim() === "") {
    refuse("prompt", "write the system message as a text");
  }
  for (const [field, example] of Object.entries(REQUIRED)) {
    if (typeof definition[field] !== "function") refuse(field, `write ${example}`);
  }
  for (const [field, example] of Object.entries(FUNCTIONS)) {
    const value = definition[field];
    if (value !== undefined && typeof value !== "function") refuse(field, `write ${example}`);
  }
  if (splits !== "automatic" && splits !== "own") refuse("splits", 'write "automatic" or "own"');
  for (const [field, most] of Object.entries(COUNTS)) {
    const { [field]: value = 1 } = definition;
    const isCount = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
    if (!isCount) refuse(field, `write a whole number from 1 to ${most}`);
  }
}

function requireTools(name: string, tools: unknown): void {
  if (!isObject(tools) || Array.isArray(tools)) {
    throw mistake(
      `environment "${name}": tools is ${kindOf(tools)}; write an object with a tool under each name, or {} for none`,
    );
  }
  for (const [tool, given] of Object.entries(tools)) {
    const place = `environment "${name}": tools.${tool.slice(0, 64)}`;
    if (!TOOL_NAME.test(tool)) {
      throw mistake(`${place} has a name with other characters than letters, digits, _ and -`);
    }
    if (!isObject(given)) {
      throw mistake(`${place} is ${kindOf(given)}; write { description, parameters, run }`);
    }
    const { description, run, timeoutMs = 1 } = given;
    const unknown = Object.keys(given).find((field) => !TOOL_FIELDS.includes(field));
    if (unknown !== undefined) {
      throw mistake(
        `${place} has no field ${unknown.slice(0, 64)}; the fields are ${TOOL_FIELDS.join(", ")}`,
      );
    }
    if (typeof description !== "string" || description.trim() === "") {
      throw mistake(
        `${place}.description is ${shown(description)}; write one sentence for the model`,
      );
    }
    jsonSchemaOf(`${place}.parameters`, given["parameters"]);
    if (typeof run !== "function") {
      throw mistake(`${place}.run is ${shown(run)}; write run: (args, state) => a JSON value`);
    }
    if (!(typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= LONGEST_CALL_MS)) {
      throw mistake(
        `${place}.timeoutMs is ${shown(timeoutMs)}; write 1 to ${LONGEST_CALL_MS} milliseconds`,
      );
    }
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}

/** A value for an error message. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 64));
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return kindOf(value);
}

function mistake(message: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", message);
}
