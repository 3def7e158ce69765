/** Validates a request once for every backend, and applies defaults. */
import { isObject } from "@waggle/protocol";
import type { GrammarSpec, Sampling, ToolCallFormat, WaggleError } from "@waggle/protocol";
import { NO_PARAMETERS } from "./chat-types.ts";
import type { ChatMessage, ChatRequest, ChatResponseFormat, ChatTool } from "./chat-types.ts";
import { excerpt } from "./excerpt.ts";
import { requestError } from "./request-error.ts";

type JsonFormat = Extract<ChatResponseFormat, { readonly type: "json_object" | "json_schema" }>;

/** OpenAI's parameters that would change the answer and are not supported here, unless they have no effect. */
const REFUSED: { readonly [name: string]: (value: unknown) => boolean } = {
  frequency_penalty: (value) => value === 0,
  presence_penalty: (value) => value === 0,
  logit_bias: (value) => isObject(value) && Object.values(value).every((bias) => bias === 0),
  functions: (value) => Array.isArray(value) && value.length === 0,
  function_call: (value) => value === "none" || value === "auto",
  modalities: (value) => Array.isArray(value) && value.every((kind) => kind === "text"),
  audio: () => false,
  web_search_options: () => false,
};
const MAX_STOPS = 16;
const MAX_CHOICES = 64;

function invalid(param: string, mistake: string): WaggleError {
  return requestError("INVALID_ARGUMENT", param, mistake);
}

function missing(param: string, mistake: string): WaggleError {
  return requestError("CAPABILITY_MISSING", param, mistake);
}

/** @throws WaggleError `INVALID_ARGUMENT` or `CAPABILITY_MISSING`. */
export function checkRequest(request: ChatRequest): void {
  if (!Array.isArray(request.messages) || request.messages.length === 0) {
    throw invalid("messages", "are missing; pass at least one");
  }
  for (const [key, isNeutral] of Object.entries(REFUSED)) {
    const value = (request as { [key: string]: unknown })[key] ?? null;
    if (value === null || isNeutral(value)) continue;
    throw missing(key, "is not supported; leave it out");
  }
  if ((request.top_logprobs ?? 0) !== 0) {
    throw missing(
      "top_logprobs",
      `is ${excerpt(request.top_logprobs)}, which is not supported; use logprobs alone`,
    );
  }
  inRange("temperature", request.temperature, 0, 10);
  inRange("top_p", request.top_p, 0, 1);
  inRange("top_k", request.top_k, 0, 1_000_000, true);
  inRange("n", request.n, 1, MAX_CHOICES, true);
  inRange("max_tokens", request.max_tokens, 1, Infinity, true);
  inRange("max_completion_tokens", request.max_completion_tokens, 1, Infinity, true);
  const stops = stopTexts(request);
  if (stops.length > MAX_STOPS || stops.includes("")) {
    const got = excerpt(request.stop);
    throw invalid("stop", `takes at most ${MAX_STOPS} non-empty texts, got ${got}`);
  }
  const choice = request.tool_choice ?? "auto";
  const tools = request.tools ?? [];
  if (choice !== "none" && choice !== "auto" && tools.length === 0) {
    throw invalid("tool_choice", `is ${excerpt(choice)}, but there are no tools`);
  }
  if (
    typeof choice === "object" &&
    !tools.some((tool) => tool.function.name === choice.function.name)
  ) {
    throw invalid(
      "tool_choice",
      `names ${excerpt(choice.function.name)}, which is not one of the tools`,
    );
  }
}

export function stopTexts({ stop }: Pick<ChatRequest, "stop">): readonly string[] {
  return typeof stop === "string" ? [stop] : (stop ?? []);
}

/** Sampling for choice `index`. A missing seed is drawn at random. */
export function samplingOf(request: ChatRequest, seed: number, index: number): Sampling {
  const { temperature, top_p } = request;
  const isGreedy = temperature === 0 || top_p === 0;
  return {
    temperature: isGreedy ? 1 : (temperature ?? 1),
    topK: isGreedy ? 1 : (request.top_k ?? 0),
    topP: isGreedy ? 1 : (top_p ?? 1),
    seed: (seed + index) >>> 0,
  };
}

export function seedOf(request: ChatRequest): number {
  const { seed } = request;
  if (seed === undefined || seed === null) {
    return crypto.getRandomValues(new Uint32Array(1))[0] as number;
  }
  if (!Number.isSafeInteger(seed)) {
    throw invalid("seed", `is ${excerpt(seed)}, not an integer`);
  }
  return seed >>> 0;
}

/** Whether the answer may have calls. */
export function readsTools(request: ChatRequest): boolean {
  return (request.tools ?? []).length > 0 && request.tool_choice !== "none";
}

/**
 * The grammar that constrains the answer, and whether ignoring it would break a promise.
 *
 * @throws WaggleError `CAPABILITY_MISSING` for both tools and a pattern.
 */
export function grammarOf(
  request: ChatRequest,
  format: ToolCallFormat,
): { readonly spec: GrammarSpec; readonly isRequired: boolean } | null {
  const response = request.response_format ?? { type: "text" };
  if (!readsTools(request)) {
    if (response.type === "text") return null;
    const spec: GrammarSpec =
      response.type === "regex"
        ? { kind: "regex", pattern: response.pattern }
        : { kind: "json-schema", schema: answerSchema(response) };
    return { spec, isRequired: true };
  }
  if (response.type === "regex") {
    throw missing(
      "response_format",
      'regex and tools cannot be combined; set tool_choice to "none"',
    );
  }
  const choice = request.tool_choice ?? "auto";
  const isFormatted = choice === "auto" && response.type !== "text";
  const spec: GrammarSpec = {
    kind: "tool-calls",
    format,
    tools: (request.tools ?? []).map((tool) => ({
      name: tool.function.name,
      parameters: tool.function.parameters ?? NO_PARAMETERS,
    })),
    choice: typeof choice === "object" ? { name: choice.function.name } : (choice as "auto"),
    parallel: request.parallel_tool_calls ?? true,
    ...(isFormatted && { answer: answerSchema(response) }),
  };
  return { spec, isRequired: choice !== "auto" || isFormatted };
}

function answerSchema(response: JsonFormat): { [key: string]: unknown } {
  if (response.type === "json_object") return { type: "object" };
  if (response.type === "json_schema") return response.json_schema.schema ?? {};
  throw invalid("response_format", `is ${excerpt(response)}, which is not supported`);
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
      if (part.type === "refusal") return part.refusal;
      throw missing(
        "messages",
        `have a content part of type ${excerpt((part as { type: unknown }).type)}; only text is supported`,
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
  const bounds = most === Infinity ? `of at least ${least}` : `in [${least}, ${most}]`;
  throw invalid(name, `is ${excerpt(value)}, not ${kind} ${bounds}`);
}
