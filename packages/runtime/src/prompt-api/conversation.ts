/** The state of one session of the polyfill: messages, use of the context window, rounds of tools. */
import type {
  Chat,
  ChatFinishReason,
  ChatMessage,
  ChatRequest,
  ChatResponseFormat,
  ChatToolCall,
} from "../chat/chat-types.ts";
import { createMessageFolder } from "../chat/message-folder.ts";
import type { LanguageModelTool } from "./prompt-api-types.ts";
import { quotaExceeded } from "./prompt-errors.ts";
import { toChatTools } from "./prompts.ts";
import { requestSampling } from "./sampling-modes.ts";
import type { SessionSampling } from "./sampling-modes.ts";
import { toText } from "./web-idl.ts";

/** Tokens reserved for an answer. */
const LEAST_ANSWER = 16;
/** Maximum rounds of tool calls in one answer. */
const MAX_ROUNDS = 8;

type Options = {
  readonly sampling: SessionSampling;
  readonly tools: readonly LanguageModelTool[];
};

export class Conversation {
  onOverflow: () => void = () => undefined;
  readonly #chat: Chat;
  readonly #initial: readonly ChatMessage[];
  readonly #options: Options;
  #turns: ChatMessage[] = [];
  #usage = 0;

  constructor(chat: Chat, initial: readonly ChatMessage[], options: Options) {
    this.#chat = chat;
    this.#initial = initial;
    this.#options = options;
  }

  get usage(): number {
    return this.#usage;
  }

  get window(): number {
    return this.#chat.contextLength ?? Infinity;
  }

  get sampling(): SessionSampling {
    return this.#options.sampling;
  }

  get hasInput(): boolean {
    return this.#initial.length + this.#turns.length > 0;
  }

  clone(): Conversation {
    const copy = new Conversation(this.#chat, this.#initial, this.#options);
    copy.#turns = [...this.#turns];
    copy.#usage = this.#usage;
    return copy;
  }

  /** @throws QuotaExceededError if the initial prompts leave no room. */
  async measureInitial(): Promise<void> {
    this.#usage = await this.#count(this.#initial);
    if (this.#usage + LEAST_ANSWER > this.window) throw quotaExceeded(this.#usage, this.window);
  }

  /** Tokens that these messages would add. */
  async measure(messages: readonly ChatMessage[]): Promise<number> {
    const all = await this.#count([...this.#initial, ...this.#turns, ...messages]);
    return Math.max(0, all - this.#usage);
  }

  async append(messages: readonly ChatMessage[]): Promise<void> {
    const turns = await this.#fit(messages);
    this.#turns = turns;
    this.#usage = await this.#count([...this.#initial, ...turns]);
  }

  /**
   * Answers further messages. They are kept only if the answer is consumed to its end.
   *
   * @throws DOMException `SyntaxError` for an answer that was cut and so breaks its format,
   *   `NotReadableError` for one that was filtered; QuotaExceededError.
   */
  async *answer(
    messages: readonly ChatMessage[],
    options: { readonly format: ChatResponseFormat | undefined; readonly signal: AbortSignal },
  ): AsyncGenerator<string, void> {
    const turns = await this.#fit(messages);
    const { tools } = this.#options;
    for (let round = 0; ; round++) {
      const folder = createMessageFolder();
      const isLast = round === MAX_ROUNDS || options.format !== undefined;
      const request = this.#request([...this.#initial, ...turns], options.format, isLast);
      const chunks = await this.#chat.completions.create(request, { signal: options.signal });
      let finish: ChatFinishReason | null = null;
      for await (const { choices } of chunks) {
        const delta = choices[0]?.delta ?? {};
        finish = choices[0]?.finish_reason ?? finish;
        folder.push(delta);
        if (delta.content) yield delta.content;
      }
      if (finish === "content_filter") {
        throw new DOMException("the answer was filtered", "NotReadableError");
      }
      if (finish === "length" && options.format !== undefined) {
        const message = "the answer was cut before it matched the responseConstraint";
        throw new DOMException(message, "SyntaxError");
      }
      const message = folder.message();
      const last = turns.at(-1);
      if (last?.role === "assistant" && last.prefix) {
        turns.splice(-1, 1, { ...message, content: `${last.content as string}${message.content}` });
      } else turns.push(message);
      const calls = message.tool_calls ?? [];
      if (calls.length === 0) break;
      turns.push(...(await Promise.all(calls.map((call) => runTool(tools, call)))));
      options.signal.throwIfAborted();
    }
    this.#turns = turns;
    this.#usage = await this.#count([...this.#initial, ...turns]);
  }

  /** The turns with further messages; drops the oldest turns until there is room for an answer. */
  async #fit(messages: readonly ChatMessage[]): Promise<ChatMessage[]> {
    // A prefix that was appended, and not answered, is an ordinary message now.
    const before = this.#turns.map((turn) =>
      turn.role === "assistant" && turn.prefix ? { ...turn, prefix: false } : turn,
    );
    const kept = [...before, ...messages];
    let requested = await this.#count([...this.#initial, ...kept]);
    let isCut = false;
    while (requested + LEAST_ANSWER > this.window) {
      const next = kept.findIndex(({ role }, index) => index > 0 && role === "user");
      if (next === -1 || kept.length - next < messages.length)
        throw quotaExceeded(requested, this.window);
      kept.splice(0, next);
      isCut = true;
      requested = await this.#count([...this.#initial, ...kept]);
    }
    if (isCut) this.onOverflow();
    return kept;
  }

  async #count(messages: readonly ChatMessage[]): Promise<number> {
    if (messages.length === 0) return 0;
    // No template renders a conversation without a user message, so a system message needs one.
    const first = messages.find((message) => message.role !== "system");
    const user: ChatMessage = { role: "user", content: "" };
    const whole = first?.role === "user" ? [...messages] : [...messages, user];
    const tools = toChatTools(this.#options.tools);
    const counted = await this.#chat.countTokens({
      messages: whole,
      ...(tools.length > 0 && { tools }),
    });
    return counted ?? 0;
  }

  #request(
    messages: ChatMessage[],
    format: ChatResponseFormat | undefined,
    isLast: boolean,
  ): ChatRequest & { stream: true } {
    const { sampling, tools } = this.#options;
    return {
      messages,
      stream: true,
      ...requestSampling(sampling),
      ...(format !== undefined && { response_format: format }),
      ...(tools.length > 0 && {
        tools: toChatTools(tools),
        tool_choice: isLast ? ("none" as const) : ("auto" as const),
      }),
    };
  }
}

/** A tool's failure is reported to the model. */
async function runTool(
  tools: readonly LanguageModelTool[],
  { id, function: called }: ChatToolCall,
): Promise<ChatMessage> {
  const tool = tools.find(({ name }) => name === called.name);
  const answer = async (): Promise<string> => {
    if (tool === undefined) return JSON.stringify({ error: `there is no tool ${called.name}` });
    try {
      return toText(await tool.execute(JSON.parse(called.arguments) as never), "result");
    } catch (error) {
      return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
    }
  };
  return { role: "tool", tool_call_id: id, content: await answer() };
}
