/** Refuses a definition with a mistake, naming the field and what to write instead. */
import { isObject, WaggleError } from "@waggle/protocol";
import { requireDefinedTools } from "../../tools/tool-check.ts";
import { kindOf, shown } from "../../tools/shown-value.ts";

/** Names of tasks have at most 64 characters. */
const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const MOST_LEVELS = 64;

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
  requireDefinedTools(`environment "${name}": tools`, definition["tools"], {
    run: "(args, state)",
  });
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

function mistake(message: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", message);
}
