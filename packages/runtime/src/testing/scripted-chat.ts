/**
 * A chat with scripted answers that records its requests. It has no model and no tokens: for ids and
 * log-probs, use a chat over `ScriptedPolicy` of `@waggle/testing`.
 */
import { WaggleError } from "@waggle/protocol";
import type {
  Chat,
  ChatChunkChoice,
  ChatCompletionChunk,
  ChatFinishReason,
  ChatRecord,
  ChatRequest,
} from "../chat/chat-types.ts";
import { defineChat, foldChunks } from "../chat/define-chat.ts";

/** The answer to one request. */
export type ScriptedChatTurn =
  /** Streamed word by word. */
  | string
  | {
      readonly content?: string;
      readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
      /** Default: `tool_calls` with calls, otherwise `stop`. */
      readonly finishReason?: ChatFinishReason;
      /** Thrown after the content, for an answer that breaks off. */
      readonly error?: Error;
    }
  | Error
  | ((request: ChatRequest) => ScriptedChatTurn | Promise<ScriptedChatTurn>);

/** A chat with scripted answers. */
export type ScriptedChat = Chat & {
  /** Every request, in order, as it was sent. */
  readonly calls: readonly ChatRequest[];
  /** Number of unused turns. */
  readonly remaining: number;
};

const RECORD: ChatRecord = { learnable: false, reason: "a script was read, nothing was sampled" };

/**
 * Creates a chat over a script. Words count as tokens.
 *
 * ```ts
 * const chat = createScriptedChat(["Hello.", { toolCalls: [{ name: "search", arguments: {} }] }]);
 * await runMyAgent(chat);
 * expect(chat.calls[1]?.messages.at(-1)).toMatchObject({ role: "user" });
 * ```
 *
 * A request beyond the last turn throws `INVALID_ARGUMENT`.
 */
export function createScriptedChat(turns: readonly ScriptedChatTurn[]): ScriptedChat {
  const left = [...turns];
  const calls: ChatRequest[] = [];
  const answer = async (
    request: ChatRequest,
    signal: AbortSignal | undefined,
    withUsage: boolean,
  ): Promise<AsyncIterable<ChatCompletionChunk>> => {
    const call = calls.push(structuredClone(request));
    const answers: Answer[] = [];
    for (let index = 0; index < (request.n ?? 1); index++) {
      answers.push(await resolveTurn(left.shift(), request, call));
    }
    signal?.throwIfAborted();
    return speak(answers, request, { call, signal, withUsage });
  };
  const chat = defineChat({
    contextLength: null,
    countTokens: ({ messages }) => Promise.resolve(wordsOf(JSON.stringify(messages)).length),
    dispose: () => Promise.resolve(),
    stream: (request, signal) =>
      answer(request, signal, request.stream_options?.include_usage === true),
    complete: async (request, signal) => foldChunks(await answer(request, signal, true)),
  });
  return {
    ...chat,
    calls,
    get remaining() {
      return left.length;
    },
  };
}

type Answer = Exclude<ScriptedChatTurn, string | Error | ((request: ChatRequest) => unknown)>;

async function resolveTurn(
  turn: ScriptedChatTurn | undefined,
  request: ChatRequest,
  call: number,
): Promise<Answer> {
  if (turn === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the script has no turn for request ${call}; add one`,
    );
  }
  if (typeof turn === "function") return resolveTurn(await turn(request), request, call);
  if (turn instanceof Error) throw turn;
  return typeof turn === "string" ? { content: turn } : turn;
}

async function* speak(
  answers: readonly Answer[],
  request: ChatRequest,
  {
    call,
    signal,
    withUsage,
  }: {
    readonly call: number;
    readonly signal: AbortSignal | undefined;
    readonly withUsage: boolean;
  },
): AsyncGenerator<ChatCompletionChunk, void> {
  const head = {
    id: `chatcmpl-scripted-${call}`,
    object: "chat.completion.chunk" as const,
    created: 0,
    model: request.model ?? "scripted",
    system_fingerprint: "scripted",
  };
  let spoken = 0;
  for (const [index, answer] of answers.entries()) {
    const say = (choice: Omit<ChatChunkChoice, "index">): ChatCompletionChunk => ({
      ...head,
      choices: [{ index, ...choice }],
    });
    const { content = "", toolCalls = [], error, finishReason } = answer;
    yield say({ delta: { role: "assistant", content: "" }, finish_reason: null });
    for (const word of wordsOf(content)) {
      signal?.throwIfAborted();
      spoken++;
      yield say({ delta: { content: word }, finish_reason: null });
    }
    for (const [at, { name, arguments: args }] of toolCalls.entries()) {
      signal?.throwIfAborted();
      spoken++;
      const called = { name, arguments: JSON.stringify(args) };
      const id = `call_${call}_${at}`;
      const delta = {
        tool_calls: [{ index: at, id, type: "function" as const, function: called }],
      };
      yield say({ delta, finish_reason: null });
    }
    if (error !== undefined) throw error;
    const reason = finishReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop");
    yield say({ delta: {}, finish_reason: reason, record: RECORD });
  }
  if (!withUsage) return;
  const prompt = wordsOf(JSON.stringify(request.messages)).length;
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: spoken,
    total_tokens: prompt + spoken,
  };
  yield { ...head, choices: [], usage };
}

/** Words with the space before them. */
function wordsOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}
