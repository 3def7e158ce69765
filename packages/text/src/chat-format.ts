/**
 * Renders conversations as tokens. Sampler, trainer and tests all use this renderer. The model's Jinja chat
 * template determines every token that is not message text. Rendering only appends: sent and sampled tokens never
 * change, and `next` returns only the tokens that follow.
 *
 * Differs from `apply_chat_template` on purpose: texts of users, tools and the policy are tokenized separately and
 * without special tokens, and a sampled turn is never rewritten (Qwen3's template drops earlier thoughts).
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { SegmentRole, ToolCallFormat, ToolDefinition, ToolResult } from "@waggle/protocol";
import { looksLikeSentinel, SentinelTable } from "./template-sentinel.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { TokenizerConfigJson } from "./tokenizer-json.ts";
import { Template } from "./template.ts";
import { createAssistantDecoder, createTokenReader } from "./tool-calls/decoder.ts";
import type { AssistantDecoder, AssistantTokenReader } from "./tool-calls/decoder.ts";
import { detectToolCallFormat, toolCallFormatEntry } from "./tool-calls/formats.ts";
import type { WritableCall } from "./tool-calls/formats.ts";
import type { ParsedAssistant } from "./tool-calls/parsed-call.ts";
import { createAssistantReader, parseAssistant } from "./tool-calls/reader.ts";
import type { AssistantReaderOptions } from "./tool-calls/reader.ts";

/** Given tokens with their role. They become a given segment of a trajectory. */
export type RenderedSegment = { readonly role: SegmentRole; readonly tokenIds: readonly number[] };

/** The beginning of a conversation. */
export type ChatStart = {
  /** Empty = no system message. Treated as template text unless it contains special tokens. */
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly userMessage: string;
};

/** Messages that follow a sampled turn. */
export type ChatNext = {
  readonly toolResults?: readonly ToolResult[];
  readonly userMessage?: string;
  /** False if the sampled turn was cut before its stop token. The rendering then begins with it. */
  readonly sampledEnded: boolean;
};

/** Renders, encodes and parses the turns of one model. */
export interface ChatFormat {
  /** Tokens that end a turn, for `PolicyContext.generate`. */
  readonly stopTokenIds: readonly number[];
  /** Renders the beginning of a conversation. The last segment ends with the generation prompt. */
  start(input: ChatStart): RenderedSegment[];
  /**
   * Renders what follows a sampled turn, ending with the generation prompt. It needs no history: the same
   * messages give the same tokens after any turn.
   *
   * @throws WaggleError `TEMPLATE_NOT_APPEND_ONLY` if the template changes earlier messages.
   */
  next(input: ChatNext): RenderedSegment[];
  /** How this model writes tool calls. */
  readonly toolCallFormat: ToolCallFormat;
  /**
   * Text of sampled tokens for `parseAssistant`: without stop tokens and other control tokens, but with
   * tool-call markers.
   */
  decodeAssistant(tokenIds: readonly number[]): string;
  /** Decodes the same text while it is sampled, for display. */
  createAssistantDecoder(): AssistantDecoder;
  /** As `createAssistantDecoder`, with names and arguments of calls as they grow. */
  createAssistantReader(options?: AssistantReaderOptions): AssistantTokenReader;
  parseAssistant(text: string, options?: AssistantReaderOptions): ParsedAssistant;
  /** Tokens of an assistant turn, including the stop token, as a training target. */
  encodeAssistant(text: string, toolCalls?: readonly WritableCall[]): number[];
}

/** The tokenizer and template of a model. */
export type ChatFormatOptions = {
  readonly tokenizer: Tokenizer;
  readonly tokenizerConfig?: TokenizerConfigJson;
  /** Overrides the template in `tokenizerConfig`, for example with `chat_template.jinja`. */
  readonly chatTemplate?: string;
  /** Additional template variables, for example `{ enable_thinking: false }`. */
  readonly templateVariables?: { readonly [name: string]: unknown };
  /** Overrides the format detected from the template. Default `hermes` if none is detected. */
  readonly toolCallFormat?: ToolCallFormat;
  /** Additional tokens that end a turn, for example from `generation_config.json`. */
  readonly stopTokens?: readonly string[];
};

type Message = { readonly role: string; readonly content: string };
type Rendering = { readonly messages: readonly Message[]; readonly tools: readonly unknown[] };

/**
 * Creates a chat format from a tokenizer and a Jinja template.
 *
 * @throws WaggleError `INVALID_ARGUMENT` without a chat template; `TOKENIZER_UNSUPPORTED` if no special token
 *   ends a turn; `TEMPLATE_NOT_APPEND_ONLY` as `next`.
 */
export function createChatFormat(options: ChatFormatOptions): ChatFormat {
  const { tokenizer, tokenizerConfig = {} } = options;
  const source = chatTemplateOf(options);
  const template = new Template(withoutClock(source));
  const toolCallFormat = options.toolCallFormat ?? detectToolCallFormat(source) ?? "hermes";
  const { markers, write } = toolCallFormatEntry(toolCallFormat);
  const keepTokenIds = new Set(markers.flatMap((marker) => tokenizer.specialTokenId(marker) ?? []));
  const decoding = { skipSpecialTokens: true, keepTokenIds };
  const variables = {
    bos_token: tokenText(tokenizerConfig["bos_token"]) ?? "",
    eos_token: tokenText(tokenizerConfig["eos_token"]) ?? "",
    ...options.templateVariables,
  };

  const render = ({ messages, tools }: Rendering, generate: boolean): string =>
    template.render({
      ...variables,
      messages,
      tools: tools.length > 0 ? tools : null,
      add_generation_prompt: generate,
    });

  const encode = (rendered: string, table: SentinelTable): number[] =>
    table
      .split(rendered)
      .flatMap((part) =>
        part.from === "template"
          ? tokenizer.encodeTemplate(part.text)
          : tokenizer.encode(part.text),
      );

  /** Keeps the page's own text in the template, unless it would produce special tokens. */
  const guard = (table: SentinelTable, text: string): string =>
    looksLikeSentinel(text) || !isPlain(tokenizer, text) ? table.sentinelOf(text) : text;

  /** Splits a rendering after the messages of `head`, or returns one segment if it cannot be split there. */
  const cut = (
    rendered: string,
    table: SentinelTable,
    head: { role: SegmentRole; rendering: Rendering; from: number } | null,
    role: SegmentRole,
    from: number,
  ): RenderedSegment[] => {
    const prefix = head && tryRender(() => render(head.rendering, false));
    if (head && prefix && prefix.length > head.from && rendered.startsWith(prefix)) {
      return [
        { role: head.role, tokenIds: encode(prefix.slice(head.from), table) },
        { role, tokenIds: encode(rendered.slice(prefix.length), table) },
      ].filter((segment) => segment.tokenIds.length > 0);
    }
    return [{ role, tokenIds: encode(rendered.slice(from), table) }];
  };

  const start = (input: ChatStart): RenderedSegment[] => {
    const table = new SentinelTable();
    const system: Message[] =
      input.system === "" ? [] : [{ role: "system", content: guard(table, input.system) }];
    const tools = input.tools.map((tool) => toTemplateTool(tool, (text) => guard(table, text)));
    const user = { role: "user", content: table.sentinelOf(input.userMessage) };
    const rendered = render({ messages: [...system, user], tools }, true);
    const head =
      system.length > 0
        ? { role: "system" as const, rendering: { messages: system, tools }, from: 0 }
        : null;
    return cut(rendered, table, head, "user", 0);
  };

  /** Renders a short conversation with the new messages, and keeps what follows the assistant's turn. */
  const after = (input: Omit<ChatNext, "sampledEnded">): RenderedSegment[] => {
    const table = new SentinelTable();
    const before: Message[] = [
      { role: "user", content: table.sentinelOf("user") },
      { role: "assistant", content: table.sentinelOf("assistant") },
    ];
    const results = (input.toolResults ?? []).map((result) => ({
      role: "tool",
      content: table.sentinelOf(toolResultText(result)),
    }));
    const user: Message[] =
      input.userMessage === undefined
        ? []
        : [{ role: "user", content: table.sentinelOf(input.userMessage) }];
    const tools = [PROBE_TOOL];
    const full = render({ messages: [...before, ...results, ...user], tools }, true);
    const from = endOfSampled(full, {
      history: render({ messages: before.slice(0, 1), tools }, false),
      prompted: render({ messages: before.slice(0, 1), tools }, true),
      sentinel: table.sentinelOf("assistant"),
    });
    if (results.length === 0) return cut(full, table, null, "user", from);
    const head =
      user.length > 0
        ? {
            role: "tool" as const,
            rendering: { messages: [...before, ...results], tools },
            from,
          }
        : null;
    return cut(full, table, head, user.length > 0 ? "user" : "tool", from);
  };

  const stopTokenIds = findStopTokens(tokenizer, after({ userMessage: "user" })[0]?.tokenIds[0], [
    ...(options.stopTokens ?? []),
    variables.eos_token,
  ]);

  const next = (input: ChatNext): RenderedSegment[] => {
    const segments = after(input);
    const first = segments[0];
    if (!input.sampledEnded || first === undefined) return segments;
    // The stop token was sampled and is already in the context.
    if (!stopTokenIds.includes(first.tokenIds[0] as number)) throw notAppendOnly("the stop token");
    return [{ ...first, tokenIds: first.tokenIds.slice(1) }, ...segments.slice(1)];
  };

  const tokenReader = (readerOptions?: AssistantReaderOptions) =>
    createTokenReader(
      tokenizer.createStreamDecoder(decoding),
      createAssistantReader(toolCallFormat, readerOptions),
    );

  return {
    stopTokenIds,
    start,
    next,
    toolCallFormat,
    decodeAssistant: (tokenIds) => tokenizer.decode(tokenIds, decoding),
    createAssistantDecoder: () => createAssistantDecoder(tokenReader()),
    createAssistantReader: tokenReader,
    parseAssistant: (text, readerOptions) => parseAssistant(text, toolCallFormat, readerOptions),
    encodeAssistant: (text, toolCalls = []) => [
      ...tokenizer.encode(text),
      ...(toolCalls.length === 0 ? [] : write(toolCalls)).flatMap((part) =>
        part.isMarker ? tokenizer.encodeTemplate(part.text) : tokenizer.encode(part.text),
      ),
      stopTokenIds[0] as number,
    ],
  };
}

/** Content of a tool message: the value or the error as JSON. */
export function toolResultText(result: ToolResult): string {
  return (
    JSON.stringify(
      result.ok ? result.value : { error: result.error.code, message: result.error.message },
    ) ?? "null"
  );
}

const PROBE_TOOL = toTemplateTool(
  {
    name: "probe",
    description: "probe",
    parameters: { type: "object", properties: {} },
    source: "page",
  },
  (text) => text,
);

/** Converts a tool to the form that chat templates expect: OpenAI's function tools. */
function toTemplateTool(tool: ToolDefinition, guard: (text: string) => string): unknown {
  const guardAll = (value: unknown): unknown => {
    if (typeof value === "string") return guard(value);
    if (Array.isArray(value)) return value.map(guardAll);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [guard(key), guardAll(member)]),
    );
  };
  return {
    type: "function",
    function: guardAll({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
    }),
  };
}

/**
 * Index after the sampled turn in the rendering. The turn's header may be shorter than the generation prompt
 * (Qwen3 omits an empty thought from history); the tokens that were sent are kept.
 */
function endOfSampled(
  full: string,
  { history, prompted, sentinel }: { history: string; prompted: string; sentinel: string },
): number {
  const inner = sentinel.trim();
  const at = full.indexOf(inner);
  if (at === -1) throw notAppendOnly("the assistant's text");
  const header = full.slice(0, at).trimEnd();
  if (!full.startsWith(history) || !prompted.startsWith(history) || !prompted.startsWith(header)) {
    throw notAppendOnly("the earlier messages");
  }
  const end = at + inner.length;
  return full[end] === "\u2003" ? end + 1 : end;
}

function notAppendOnly(lost: string): WaggleError {
  return new WaggleError(
    "TEMPLATE_NOT_APPEND_ONLY",
    `the chat template does not keep ${lost} when a message is added; use a template that only appends`,
  );
}

function findStopTokens(
  tokenizer: Tokenizer,
  closing: number | undefined,
  names: readonly string[],
): number[] {
  const named = names.map((name) => tokenizer.specialTokenId(name));
  const found = [closing, ...named].filter((id) => id !== undefined);
  const isControl = (id: number): boolean =>
    tokenizer.specialTokenId(tokenizer.decode([id])) === id;
  const stopTokenIds = [...new Set(found)].filter(isControl);
  if (closing === undefined || !stopTokenIds.includes(closing)) {
    throw new WaggleError(
      "TOKENIZER_UNSUPPORTED",
      "the chat template does not end an assistant turn with a special token of the tokenizer; use another model",
    );
  }
  return stopTokenIds;
}

function isPlain(tokenizer: Tokenizer, text: string): boolean {
  const plain = tokenizer.encode(text);
  const rendered = tokenizer.encodeTemplate(text);
  return plain.length === rendered.length && plain.every((id, index) => id === rendered[index]);
}

function chatTemplateOf({ chatTemplate, tokenizerConfig }: ChatFormatOptions): string {
  const found = chatTemplate ?? tokenizerConfig?.chat_template;
  if (typeof found === "string") return found;
  const named = found?.find((entry) => entry.name === "tool_use") ?? found?.[0];
  if (named !== undefined) return named.template;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    "there is no chat template in tokenizer_config.json; pass chatTemplate",
  );
}

/**
 * Replaces `strftime_now` by a fixed date. Llama 3 and others write today's date, but a trainer must be able to
 * repeat what a page rendered on another day.
 */
function withoutClock(template: string): string {
  if (!template.includes("strftime_now")) return template;
  return `{%- macro strftime_now(format) -%}01 Jan 2026{%- endmacro %}${template}`;
}

/** The text of a token such as `bos_token`, which is a string or an added token. */
function tokenText(token: unknown): string | null {
  if (typeof token === "string") return token;
  if (!isObject(token)) return null;
  return typeof token.content === "string" ? token.content : null;
}

function tryRender(render: () => string): string | null {
  try {
    return render();
  } catch {
    return null; // Some templates raise an error without a user message.
  }
}
