/** Validates a request once for every backend, and applies defaults. */
import { WaggleError } from "@waggle/protocol";
import type { GrammarSpec, Sampling, ToolCallFormat } from "@waggle/protocol";
import { NO_PARAMETERS } from "./chat-types.ts";
import type { ChatMessage, ChatRequest, ChatTool } from "./chat-types.ts";

/** OpenAI's parameters that would change the answer and are not supported here. */
const REFUSED = [
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "functions",
  "function_call",
  "audio",
  "prediction",
  "web_search_options",
];
const MAX_STOPS = 16;
const MAX_CHOICES = 64;

function invalid(message: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", message);
}

function missing(message: string): WaggleError {
  return new WaggleError("CAPABILITY_MISSING", message);
}

/** @throws WaggleError `INVALID_ARGUMENT` or `CAPABILITY_MISSING`. */
export function checkRequest(request: ChatRequest): void {
  if (!Array.isArray(request.messages) || request.messages.length === 0) {
    throw invalid("a request needs messages; pass at least one from the user");
  }
  for (const key of REFUSED) {
    const value: unknown = (request as { [key: string]: unknown })[key];
    const isNeutral = value === undefined || value === null || value === 0;
    if (!isNeutral) throw missing(`${key} is not supported; leave it out`);
  }
  if ((request.top_logprobs ?? 0) !== 0) {
    throw missing(
      `top_logprobs ${excerpt(request.top_logprobs)} is not supported, because alternatives are not kept; use logprobs alone`,
    );
  }
  inRange("temperature", request.temperature, 0, 10);
  inRange("top_p", request.top_p, Number.MIN_VALUE, 1);
  inRange("top_k", request.top_k, 0, 1_000_000, true);
  inRange("n", request.n, 1, MAX_CHOICES, true);
  inRange("max_tokens", request.max_tokens, 1, Infinity, true);
  inRange("max_completion_tokens", request.max_completion_tokens, 1, Infinity, true);
  const stops = stopTexts(request);
  if (stops.length > MAX_STOPS || stops.some((text) => typeof text !== "string" || text === "")) {
    throw invalid(`stop takes at most ${MAX_STOPS} non-empty texts, got ${excerpt(request.stop)}`);
  }
  const choice = request.tool_choice;
  const tools = request.tools ?? [];
  if (choice !== undefined && choice !== "none" && choice !== "auto" && tools.length === 0) {
    throw invalid(`tool_choice is ${excerpt(choice)}, but the request has no tools; pass the tool`);
  }
  if (
    typeof choice === "object" &&
    !tools.some((tool) => tool.function.name === choice.function.name)
  ) {
    throw invalid(
      `tool_choice names ${excerpt(choice.function.name)}, which is not one of the tools`,
    );
  }
}

export function stopTexts({ stop }: Pick<ChatRequest, "stop">): readonly string[] {
  return typeof stop === "string" ? [stop] : (stop ?? []);
}

/** Sampling for choice `index`. A missing seed is drawn at random. */
export function samplingOf(request: ChatRequest, seed: number, index: number): Sampling {
  const { temperature } = request;
  const isGreedy = temperature === 0;
  return {
    temperature: isGreedy ? 1 : (temperature ?? 1),
    topK: isGreedy ? 1 : (request.top_k ?? 0),
    topP: request.top_p ?? 1,
    seed: (seed + index) >>> 0,
  };
}

export function seedOf(request: ChatRequest): number {
  const { seed } = request;
  if (seed === undefined || seed === null) {
    return crypto.getRandomValues(new Uint32Array(1))[0] as number;
  }
  if (!Number.isSafeInteger(seed)) throw invalid(`seed must be an integer, got ${excerpt(seed)}`);
  return seed >>> 0;
}

/** Whether the answer may have calls. */
export function readsTools(request: ChatRequest): boolean {
  return (request.tools ?? []).length > 0 && request.tool_choice !== "none";
}

/**
 * The grammar that constrains the answer, and whether ignoring it would break a promise.
 *
 * @throws WaggleError `CAPABILITY_MISSING` for both tools and a response format.
 */
export function grammarOf(
  request: ChatRequest,
  format: ToolCallFormat,
): { readonly spec: GrammarSpec; readonly isRequired: boolean } | null {
  const response = request.response_format ?? { type: "text" };
  if (readsTools(request)) {
    if (response.type !== "text") {
      throw missing(
        `response_format ${response.type} and tools cannot be combined; set tool_choice to "none" for the answer`,
      );
    }
    const choice = request.tool_choice ?? "auto";
    const spec: GrammarSpec = {
      kind: "tool-calls",
      format,
      tools: (request.tools ?? []).map((tool) => ({
        name: tool.function.name,
        parameters: tool.function.parameters ?? NO_PARAMETERS,
      })),
      choice: typeof choice === "object" ? { name: choice.function.name } : (choice as "auto"),
      parallel: request.parallel_tool_calls ?? true,
    };
    return { spec, isRequired: choice !== "auto" };
  }
  switch (response.type) {
    case "text":
      return null;
    case "json_object":
      return { spec: { kind: "json-schema", schema: { type: "object" } }, isRequired: true };
    case "json_schema":
      return {
        spec: { kind: "json-schema", schema: response.json_schema.schema ?? {} },
        isRequired: true,
      };
    case "regex":
      return { spec: { kind: "regex", pattern: response.pattern }, isRequired: true };
  }
}

/**
 * Text of a message's content.
 *
 * @throws WaggleError `CAPABILITY_MISSING` for a part that is not text.
 */
export function textOf(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? [])
    .map((part) => {
      if (part.type === "text") return part.text;
      throw missing(
        `a content part of type ${excerpt((part as { type: unknown }).type)} is not supported; only text is`,
      );
    })
    .join("");
}

/** A tool as the chat format renders it. */
export function toolDefinition({ function: { name, description, parameters } }: ChatTool): {
  name: string;
  description: string;
  parameters: { readonly [key: string]: unknown };
  source: "page";
} {
  return {
    name,
    description: description ?? "",
    parameters: parameters ?? NO_PARAMETERS,
    source: "page",
  };
}

function inRange(
  name: string,
  value: number | null | undefined,
  least: number,
  most: number,
  isWhole = false,
): void {
  if (value === undefined || value === null) return;
  if (
    typeof value === "number" &&
    value >= least &&
    value <= most &&
    (!isWhole || Number.isInteger(value))
  )
    return;
  const kind = isWhole ? "a whole number" : "a number";
  const bounds = most === Infinity ? `at least ${least}` : `in [${least}, ${most}]`;
  throw invalid(`${name} must be ${kind} ${bounds}, got ${excerpt(value)}`);
}

function excerpt(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80);
}
