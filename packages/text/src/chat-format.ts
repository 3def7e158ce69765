/**
 * Renders conversations as tokens. Sampler, trainer and tests all use this renderer. The model's Jinja chat
 * template determines every token that is not message text. Rendering only appends: sent and sampled tokens never
 * change, and `next` returns only the tokens that follow.
 *
 * Gives what `apply_chat_template` gives, with two differences on purpose: texts never produce special tokens, and
 * a turn that was sent or sampled is never rewritten (Qwen3's template drops earlier thoughts).
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { SegmentRole, ToolCallFormat, ToolDefinition, ToolResult } from "@waggle/protocol";
import type { OwnTemplate } from "./apply-chat-template.ts";
import { createPromptTexts, isSpecial, isWritten, SAID } from "./prompt-text.ts";
import type { PromptTexts } from "./prompt-text.ts";
import { headOf, noResults, notAppendOnly, unlessRefused, withResults } from "./template-limits.ts";
import { guardAll, PROBE_TOOL, toTemplateTool } from "./template-message.ts";
import type { OpenedTemplate, TemplateMessage, TemplateMessages } from "./template-message.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { TokenizerConfigJson } from "./tokenizer-json.ts";
import { createAssistantDecoder, createTokenReader } from "./tool-calls/decoder.ts";
import type { AssistantDecoder, AssistantTokenReader } from "./tool-calls/decoder.ts";
import type { ToolCallFormatEntry, WritableCall } from "./tool-calls/format-entry.ts";
import type { ParsedAssistant } from "./tool-calls/parsed-call.ts";
import { createAssistantReader, parseAssistant } from "./tool-calls/reader.ts";
import type { AssistantReaderOptions } from "./tool-calls/reader.ts";

/**
 * Only templates of nano models contain this. These models learned from tool results written as JSON, compact calls and
 * texts that are tokenized alone.
 */
const NANO_MARK = "macro signatures()";

/** Given tokens with their role. They become a given segment of a trajectory. */
export type RenderedSegment = { readonly role: SegmentRole; readonly tokenIds: readonly number[] };

/** The beginning of a conversation. */
export type ChatStart = {
  /** Empty = no system message. Treated as template text unless it contains special tokens. */
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly userMessage: string;
};

/** A tool's result, with its text if the tool's answer came as text. */
type WrittenResult = ToolResult & { readonly text?: string };

/** Messages that follow a sampled turn. */
export type ChatNext = {
  readonly toolResults?: readonly WrittenResult[];
  readonly userMessage?: string;
  /** False if the sampled turn was cut before its stop token. The rendering then begins with it. */
  readonly sampledEnded: boolean;
};

/** Renders, encodes and parses the turns of one model. */
export interface ChatFormat {
  /** Tokens that end a turn, for `PolicyContext.generate`. */
  readonly stopTokenIds: readonly number[];
  /**
   * Renders the beginning of a conversation. The last segment ends with the generation prompt.
   *
   * @throws WaggleError `TEMPLATE_UNSUPPORTED` if the template cannot be evaluated with these tools or with calls;
   *   `CAPABILITY_MISSING` if there are tools and the template leaves out their results.
   */
  start(input: ChatStart): RenderedSegment[];
  /**
   * Renders what follows a sampled turn, ending with the generation prompt. It needs no history: the same
   * messages give the same tokens after any turn.
   *
   * @throws WaggleError `TEMPLATE_NOT_APPEND_ONLY` if the template changes earlier messages; `CAPABILITY_MISSING` if it
   *   leaves out a tool result.
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
  /** The content of a tool's message in this model's prompts. */
  toolResultText(result: WrittenResult): string;
  /** Tokens of an assistant turn, including the stop token, as a training target. */
  encodeAssistant(text: string, toolCalls?: readonly WritableCall[]): number[];
  /** What `applyChatTemplate` needs. */
  readonly own: OwnTemplate;
}

/** The tokenizer and template of a model. */
export type ChatFormatOptions = {
  readonly tokenizer: Tokenizer;
  readonly tokenizerConfig?: TokenizerConfigJson;
  /** Overrides the template in `tokenizerConfig`, for example with `chat_template.jinja`. */
  readonly chatTemplate?: string | undefined;
  /** Additional template variables, for example `{ enable_thinking: false }`. */
  readonly templateVariables?: { readonly [name: string]: unknown };
  /** Overrides the format detected from the template. Default `hermes` if none is detected. */
  readonly toolCallFormat?: ToolCallFormat;
  /** Additional tokens that end a turn, for example from `generation_config.json`. */
  readonly stopTokens?: readonly string[];
};

/** How a chat format renders and reads. */
export type ChatFormatParts = {
  /** @throws WaggleError `TEMPLATE_UNSUPPORTED` if the template cannot be read. */
  readonly openTemplate: (source: string) => OpenedTemplate;
  /** The format of calls that a template asks for; `chosen` overrides it. */
  readonly toolCallsOf: (source: string, chosen: ToolCallFormat | undefined) => ToolCallFormatEntry;
};

/**
 * A chat format of these parts.
 *
 * @throws WaggleError as `createChatFormat`.
 */
export function chatFormatOver(
  options: ChatFormatOptions,
  { openTemplate, toolCallsOf }: ChatFormatParts,
): ChatFormat {
  const { tokenizer, tokenizerConfig = {} } = options;
  const { source, plainSource } = chatTemplatesOf(options);
  const template = openTemplate(source);
  const plainTemplate = plainSource === source ? template : openTemplate(plainSource);
  const toolCalls = toolCallsOf(source, options.toolCallFormat);
  const { markers, write } = toolCalls;
  const keepTokenIds = new Set(markers.flatMap((marker) => tokenizer.specialTokenId(marker) ?? []));
  const decoding = { skipSpecialTokens: true, keepTokenIds };
  const tokens = {
    bos_token: tokenText(tokenizerConfig["bos_token"]) ?? "",
    eos_token: tokenText(tokenizerConfig["eos_token"]) ?? "",
  };
  const variables = { ...tokens, ...options.templateVariables };

  const isNano = source.includes(NANO_MARK);
  const resultText = isNano ? toolResultText : plainResultText;
  const newTexts = () => createPromptTexts(tokenizer, isNano);

  const render = ({ messages, tools }: TemplateMessages, generate: boolean): string =>
    (tools.length > 0 ? template : plainTemplate).render({
      ...variables,
      messages,
      tools: tools.length > 0 ? tools : null,
      add_generation_prompt: generate,
    });
  /** Renders messages after a user's message, to find out what the template writes around them. */
  const probe = (messages: readonly TemplateMessage[], generate = false): string =>
    render(
      { messages: [{ role: "user", content: "user" }, ...messages], tools: [PROBE_TOOL] },
      generate,
    );
  const history = probe([]);
  const prompted = probe([], true);

  /** Splits a rendering after `head`, or returns one segment if the rendering does not begin with `head`. */
  const cut = (
    texts: PromptTexts,
    rendered: string,
    from: number,
    role: SegmentRole,
    headRole: SegmentRole,
    head: string | null,
  ): RenderedSegment[] => {
    const at = head && head.length > from && rendered.startsWith(head) ? head.length : from;
    return [
      { role: headRole, tokenIds: texts.encode(rendered.slice(from, at)) },
      { role, tokenIds: texts.encode(rendered.slice(at)) },
    ].filter((segment) => segment.tokenIds.length > 0);
  };

  const start = (input: ChatStart): RenderedSegment[] => {
    if (input.tools.length > 0) requireCalls();
    const texts = newTexts();
    const system: TemplateMessage[] =
      input.system === "" ? [] : [{ role: "system", content: texts.guarded(input.system) }];
    const tools = input.tools.map((tool) => toTemplateTool(tool, texts.guarded));
    const user = { role: "user", content: texts.shielded(input.userMessage) };
    const rendered = render({ messages: [...system, user], tools }, true);
    const head = system[0] ? headOf(() => render({ messages: system, tools }, false)) : null;
    return cut(texts, rendered, 0, "user", "system", head);
  };

  /** Renders a short conversation with the new messages, and keeps what follows the assistant's turn. */
  const after = (input: Omit<ChatNext, "sampledEnded">): RenderedSegment[] => {
    const texts = newTexts();
    const results = (input.toolResults ?? []).map((result) => ({
      role: "tool",
      content: texts.shielded(resultText(result)),
    }));
    const user: TemplateMessage[] =
      input.userMessage === undefined
        ? []
        : [{ role: "user", content: texts.shielded(input.userMessage) }];
    const answered = [{ role: "assistant", content: SAID }, ...results];
    const full = withResults(results, () => probe([...answered, ...user], true));
    const from = endOfSampled(full, history, prompted);
    if (results.some(({ content }) => !isWritten(content, full.slice(from)))) throw noResults("");
    const isCut = results[0] && user[0];
    const head = isCut ? headOf(() => probe(answered)) : null;
    return cut(texts, full, from, results[0] && !isCut ? "tool" : "user", "tool", head);
  };

  const stopTokenIds = findStopTokens(tokenizer, after({ userMessage: "user" })[0]?.tokenIds[0], [
    ...(options.stopTokens ?? []),
    variables.eos_token,
  ]);

  const [closing] = stopTokenIds as [number];
  const stopText = tokenizer.decode([closing]);

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
      createAssistantReader(toolCalls, readerOptions),
    );

  /**
   * What the template writes for a turn, after the generation prompt and without the token that ends the turn; `null`
   * if it does not write these calls.
   */
  const writtenTurn = (content: string, calls: readonly WritableCall[]): string | null => {
    // Messages follow the turn, because Qwen3's template adds an empty thought to the last turn.
    const role = calls[0] ? "tool" : "user";
    const rendered = (said: Omit<TemplateMessage, "role">): string =>
      probe([
        { role: "assistant", ...said },
        { role, content: "next" },
      ]);
    const [header = ""] = rendered({ content: SAID }).split(SAID);
    const full = rendered({
      content,
      ...(calls[0] && {
        tool_calls: calls.map((call, i) => ({
          id: `call0000${i}`, // Mistral's templates need nine characters.
          type: "function",
          function: call,
        })),
      }),
    });
    const begin = full.startsWith(prompted) ? prompted : header;
    const [turn = "", following] = full.slice(begin.length).split(stopText);
    const isWhole = full.startsWith(begin) && following !== undefined;
    return isWhole && calls.every(({ name }) => turn.includes(name)) ? turn : null;
  };

  let isChecked = isNano;
  /**
   * Throws before the first prompt if the template's calls cannot be evaluated, or if it leaves out tool results. Some
   * templates fail only there.
   */
  const requireCalls = (): void => {
    if (isChecked) return;
    unlessRefused(() => writtenTurn(SAID, [{ name: "probe", arguments: {} }]));
    const answered = { role: "assistant", content: SAID };
    const full = headOf(() => probe([answered, { role: "tool", content: "result" }], true));
    if (full?.includes("result") === false) throw noResults("");
    isChecked = true;
  };

  const encodeAssistant: ChatFormat["encodeAssistant"] = (text, toolCalls = []) => {
    const texts = newTexts();
    // A template may trim the outer whitespace.
    const [, lead = "", inner = "", trail = ""] = (isNano
      ? null
      : /^(\s*)([^]*?)(\s*)$/.exec(text)) ?? ["", "", text];
    // The tags of a thought are tokens of the model's own.
    const said = (isNano ? [inner] : inner.split(/(<\/?think>)/))
      .map((part, i) => (i % 2 === 0 ? texts.shielded(part) : part))
      .join("");
    const calls = guardAll(
      toolCalls.map((call) => ({ name: call.name, arguments: call.arguments })),
      texts.guarded,
    ) as readonly WritableCall[];
    const content = lead + (inner && SAID) + trail;
    const written = isNano ? null : unlessRefused(() => writtenTurn(content, calls));
    const turn =
      written?.replace(SAID, () => said) ?? lead + said + trail + (calls[0] ? write(calls) : "");
    return [...texts.encode(turn), closing];
  };

  return {
    own: { source, tokenizer, tokens, variables: options.templateVariables ?? {} },
    stopTokenIds,
    start,
    next,
    toolCallFormat: toolCalls.format,
    decodeAssistant: (tokenIds) => tokenizer.decode(tokenIds, decoding),
    createAssistantDecoder: () => createAssistantDecoder(tokenReader()),
    createAssistantReader: tokenReader,
    parseAssistant: (text, readerOptions) => parseAssistant(text, toolCalls, readerOptions),
    toolResultText: resultText,
    encodeAssistant,
  };
}

/** The value or the error as JSON. This is the content of a tool message in nano's prompts. */
function toolResultText(result: ToolResult): string {
  return (
    JSON.stringify(
      result.ok ? result.value : { error: result.error.code, message: result.error.message },
    ) ?? "null"
  );
}

/** Content of a tool message for a model's own template: text as it is, other values and errors as JSON. */
function plainResultText(result: WrittenResult): string {
  const { text = result.ok && result.value } = result;
  return typeof text === "string" ? text : toolResultText(result);
}

/**
 * Index after the sampled turn in the rendering. The turn's header may be shorter than the generation prompt
 * (Qwen3 omits an empty thought from history); the tokens that were sent are kept.
 */
function endOfSampled(full: string, history: string, prompted: string): number {
  const at = full.indexOf(SAID);
  if (at === -1) throw notAppendOnly("the assistant's text");
  const header = full.slice(0, at).trimEnd();
  if (!full.startsWith(history) || !prompted.startsWith(history) || !prompted.startsWith(header)) {
    throw notAppendOnly("the earlier messages");
  }
  return at + SAID.length;
}

function findStopTokens(
  tokenizer: Tokenizer,
  closing: number | undefined,
  names: readonly string[],
): number[] {
  const named = names.map((name) => tokenizer.specialTokenId(name));
  const found = [closing, ...named].filter((id) => id !== undefined);
  const stopTokenIds = [...new Set(found)].filter((id) => isSpecial(tokenizer, id));
  if (closing === undefined || !stopTokenIds.includes(closing)) {
    throw new WaggleError(
      "TOKENIZER_UNSUPPORTED",
      "the chat template does not end an assistant turn with a special token of the tokenizer; use another model",
    );
  }
  return stopTokenIds;
}

/** The template for conversations with tools and the one for those without, as Transformers chooses them. */
function chatTemplatesOf({ chatTemplate, tokenizerConfig }: ChatFormatOptions): {
  readonly source: string;
  readonly plainSource: string;
} {
  const found = chatTemplate ?? tokenizerConfig?.chat_template;
  if (typeof found === "string") return { source: found, plainSource: found };
  const named = (name: string) => found?.find((entry) => entry.name === name)?.template;
  const plainSource = named("default") ?? found?.[0]?.template;
  if (plainSource !== undefined) return { source: named("tool_use") ?? plainSource, plainSource };
  throw new WaggleError(
    "INVALID_ARGUMENT",
    "there is no chat template in tokenizer_config.json; pass chatTemplate",
  );
}

/** The text of a token such as `bos_token`, which is a string or an added token. */
function tokenText(token: unknown): string | null {
  if (typeof token === "string") return token;
  if (!isObject(token)) return null;
  return typeof token.content === "string" ? token.content : null;
}
