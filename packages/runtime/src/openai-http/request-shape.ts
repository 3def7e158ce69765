/** Checks that a request from outside has the types of a chat request, so that no odd value fails later. */
import { isObject } from "@waggle/protocol";
import type { WaggleError } from "@waggle/protocol";
import { excerpt } from "../chat/excerpt.ts";
import { requestError } from "../chat/request-error.ts";

type Fields = { readonly [name: string]: unknown };

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool"];
const CHOICES: readonly unknown[] = ["none", "auto", "required"];
const FORMATS: readonly unknown[] = ["text", "json_object", "json_schema", "regex"];

/** @throws WaggleError `INVALID_ARGUMENT`, naming the field; `CAPABILITY_MISSING` for tools other than functions. */
export function checkShape(request: unknown): void {
  if (!isObject(request)) throw isNot("the request", "an object", request);
  const { messages } = request;
  if (!Array.isArray(messages)) throw isNot("messages", "an array", messages);
  messages.forEach((message, index) => checkMessage(message, `messages[${index}]`));
  optional(request, "model", "a text", (value) => typeof value === "string");
  for (const name of ["stream", "logprobs", "parallel_tool_calls"]) {
    optional(request, name, "true or false", (value) => typeof value === "boolean");
  }
  optional(request, "stream_options", "an object", isObject);
  optional(request, "stop", "a text or an array of texts", (value) =>
    [value].flat().every((text) => typeof text === "string"),
  );
  optional(request, "tools", "an array", Array.isArray);
  ((request["tools"] ?? []) as unknown[]).forEach((tool, index) =>
    checkTool(tool, `tools[${index}]`),
  );
  checkChoice(request["tool_choice"]);
  checkFormat(request["response_format"]);
}

function checkMessage(message: unknown, at: string): void {
  if (!isObject(message)) throw isNot(at, "an object", message);
  const { role, content } = message;
  if (!ROLES.includes(role)) throw isNot(`${at}.role`, "one of OpenAI's roles", role);
  if (Array.isArray(content)) {
    content.forEach((part, index) => checkPart(part, `${at}.content[${index}]`));
  } else if (typeof content !== "string") {
    const isLeftOut = role === "assistant" && (content ?? null) === null;
    if (!isLeftOut) throw isNot(`${at}.content`, "a text or an array of parts", content);
  }
  if (role === "tool" && typeof message["tool_call_id"] !== "string") {
    throw isNot(`${at}.tool_call_id`, "a text", message["tool_call_id"]);
  }
  if (role !== "assistant") return;
  optional(message, "refusal", "a text", (value) => typeof value === "string", at);
  optional(message, "tool_calls", "an array", Array.isArray, at);
  ((message["tool_calls"] ?? []) as unknown[]).forEach((call, index) =>
    checkCall(call, `${at}.tool_calls[${index}]`),
  );
}

/** Parts of other types are checked by what reads them, because a server may support them. */
function checkPart(part: unknown, at: string): void {
  if (!isObject(part)) throw isNot(at, "an object", part);
  const { type } = part;
  if (typeof type !== "string") throw isNot(`${at}.type`, "a text", type);
  if (type !== "text" && type !== "refusal") return;
  if (typeof part[type] !== "string") throw isNot(`${at}.${type}`, "a text", part[type]);
}

function checkCall(call: unknown, at: string): void {
  const called = isObject(call) ? call["function"] : undefined;
  if (!isObject(call) || typeof call["id"] !== "string" || !isObject(called)) {
    throw isNot(at, "a call with an id and a function", call);
  }
  for (const name of ["name", "arguments"]) {
    if (typeof called[name] === "string") continue;
    throw isNot(`${at}.function.${name}`, "a text", called[name]);
  }
}

function checkTool(tool: unknown, at: string): void {
  if (!isObject(tool)) throw isNot(at, "an object", tool);
  if (typeof tool["type"] === "string" && tool["type"] !== "function") {
    throw requestError(
      "CAPABILITY_MISSING",
      at,
      `is of type ${excerpt(tool["type"])}, which is not supported; only functions are`,
    );
  }
  const described = tool["function"];
  if (!isObject(described)) throw isNot(`${at}.function`, "an object", described);
  const { name } = described;
  if (typeof name !== "string" || name === "" || name.length > 128) {
    throw isNot(`${at}.function.name`, "a text of 1 to 128 characters", name);
  }
  optional(described, "description", "a text", (value) => typeof value === "string", at);
  optional(described, "parameters", "a JSON Schema", isObject, at);
}

function checkChoice(choice: unknown): void {
  if ((choice ?? null) === null || CHOICES.includes(choice)) return;
  const named = isObject(choice) ? choice["function"] : undefined;
  if (isObject(named) && typeof named["name"] === "string") return;
  throw isNot("tool_choice", "none, auto, required or a function", choice);
}

function checkFormat(format: unknown): void {
  if ((format ?? null) === null) return;
  const type = isObject(format) ? format["type"] : undefined;
  if (!isObject(format) || !FORMATS.includes(type)) {
    throw isNot("response_format.type", "text, json_object, json_schema or regex", type);
  }
  if (type === "regex" && typeof format["pattern"] !== "string") {
    throw isNot("response_format.pattern", "a text", format["pattern"]);
  }
  if (type !== "json_schema") return;
  const described = format["json_schema"];
  if (!isObject(described)) throw isNot("response_format.json_schema", "an object", described);
  optional(described, "schema", "a JSON Schema", isObject, "response_format.json_schema");
}

function optional(
  fields: Fields,
  name: string,
  kind: string,
  test: (value: unknown) => boolean,
  at?: string,
): void {
  const value = fields[name] ?? null;
  if (value === null || test(value)) return;
  throw isNot(at === undefined ? name : `${at}.${name}`, kind, value);
}

function isNot(name: string, kind: string, value: unknown): WaggleError {
  return requestError("INVALID_ARGUMENT", name, `is ${excerpt(value)}, not ${kind}`);
}
