/**
 * A chat over a local policy. Conversations are read once (`SessionPool`), several answers to one
 * request share the tokens read, and every answer has the record that learning needs.
 */
import { WaggleError } from "@waggle/protocol";
import type { GenerateOptions, Sample } from "@waggle/protocol";
import { readChatFormat } from "@waggle/text";
import type { ChatFormat } from "@waggle/text";
import type { AdaptivePolicy } from "../session/session.ts";
import type {
  Chat,
  ChatChunkChoice,
  ChatCompletionChunk,
  ChatFinishReason,
  ChatLogprobs,
  ChatRecord,
  ChatRequest,
  ChatUsage,
} from "./chat-types.ts";
import { ChunkQueue } from "./chunk-queue.ts";
import { renderConversation } from "./conversation.ts";
import { defineChat } from "./define-chat.ts";
import { createMessageFolder } from "./message-folder.ts";
import {
  grammarOf,
  readsTools,
  samplingOf,
  seedOf,
  stopTexts,
  toolDefinition,
} from "./request-checks.ts";
import { SessionPool } from "./session-pool.ts";
import type { PooledSession } from "./session-pool.ts";
import { createTurnReader } from "./turn-reader.ts";

/** The members of a policy that a chat uses. */
export type ChatPolicy = Pick<
  AdaptivePolicy,
  "baseModel" | "contextLength" | "currentVersion" | "createContext"
>;

/** Options of `createChat`. */
export type ChatOptions = {
  readonly policy: ChatPolicy;
  /** Default: from `modelFiles`. */
  readonly format?: ChatFormat;
  /** `tokenizer.json` and related files, by path; see `readChatFormat`. */
  readonly modelFiles?: ReadonlyMap<string, Uint8Array>;
  /** Name of the model in answers. Default: the start of its hash. */
  readonly model?: string;
  /** Conversations kept ready to continue. Default 4. */
  readonly maxSessions?: number;
  /** Clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
};

const DEFAULT_SESSIONS = 4;

/**
 * A chat in the shape of OpenAI's: `chat.completions.create(…)`.
 *
 * @throws WaggleError `INVALID_ARGUMENT` without a format or its files.
 */
export function createChat(options: ChatOptions): Chat {
  const chat = new PolicyChat(options);
  return defineChat({
    stream: (request, signal) => chat.stream(request, signal),
    countTokens: (request) => Promise.resolve(chat.render(request).length),
    contextLength: options.policy.contextLength,
    dispose: () => chat.dispose(),
  });
}

/** One request in progress. */
type Run = {
  readonly request: ChatRequest;
  readonly promptTokenIds: readonly number[];
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly emit: (choice: ChatChunkChoice) => void;
  readonly marks: { first: number | null; last: number };
};

type Answer = {
  readonly index: number;
  readonly sample: Sample;
  readonly finish: ChatFinishReason;
  readonly record: ChatRecord;
};

class PolicyChat {
  readonly #policy: ChatPolicy;
  readonly #format: ChatFormat;
  readonly #model: string;
  readonly #pool: SessionPool;
  readonly #now: () => number;
  readonly #closing = new AbortController();

  constructor(options: ChatOptions) {
    const { policy, format, modelFiles } = options;
    if (format === undefined && modelFiles === undefined) {
      throw new WaggleError("INVALID_ARGUMENT", "a chat needs a format; pass format or modelFiles");
    }
    this.#policy = policy;
    this.#format = format ?? readChatFormat(modelFiles as ReadonlyMap<string, Uint8Array>);
    this.#model = options.model ?? policy.baseModel.slice(0, 12);
    this.#pool = new SessionPool(policy, options.maxSessions ?? DEFAULT_SESSIONS);
    this.#now = options.now ?? (() => performance.now());
  }

  render(request: Pick<ChatRequest, "messages" | "tools">): number[] {
    return renderConversation(this.#format, request, this.#pool.recall);
  }

  dispose(): Promise<void> {
    this.#closing.abort(new WaggleError("DISPOSED", "the chat was disposed of"));
    this.#pool.dispose();
    return Promise.resolve();
  }

  stream(
    request: ChatRequest,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<ChatCompletionChunk>> {
    return Promise.resolve().then(() => this.#start(request, signal));
  }

  #start(
    request: ChatRequest,
    signal: AbortSignal | undefined,
  ): AsyncIterable<ChatCompletionChunk> {
    this.#closing.signal.throwIfAborted();
    const promptTokenIds = this.render(request);
    if (promptTokenIds.length >= this.#policy.contextLength) {
      throw new WaggleError(
        "CONTEXT_OVERFLOW",
        `${promptTokenIds.length} tokens of messages leave no room in the maximum context length of ${this.#policy.contextLength}; send fewer`,
      );
    }
    const leaving = new AbortController();
    const signals = [this.#closing.signal, leaving.signal, ...(signal ? [signal] : [])];
    const queue = new ChunkQueue<ChatCompletionChunk>(() => leaving.abort());
    const head = {
      id: `chatcmpl-${crypto.randomUUID()}`,
      object: "chat.completion.chunk" as const,
      created: Math.floor(Date.now() / 1000),
      model: request.model ?? this.#model,
    };
    const run: Run = {
      request,
      promptTokenIds,
      seed: seedOf(request),
      signal: AbortSignal.any(signals),
      emit: (choice) => queue.push({ ...head, choices: [choice] }),
      marks: { first: null, last: 0 },
    };
    this.#answerAll(run, (chunk) => queue.push({ ...head, ...chunk })).then(
      () => queue.close(),
      (error: unknown) => queue.fail(error),
    );
    return queue;
  }

  async #answerAll(
    run: Run,
    push: (chunk: Omit<ChatCompletionChunk, "id" | "object" | "created" | "model">) => void,
  ): Promise<void> {
    const { request, promptTokenIds, marks, signal } = run;
    const start = this.#now();
    const { pooled, cachedTokens } = await this.#pool.acquire(promptTokenIds, signal);
    const members = await this.#pool.group(pooled, request.n ?? 1, signal);
    let completionTokens = 0;
    let unfinished = members.length;
    // If one fails, the others end too, but give their sessions back first.
    const failing = new AbortController();
    const all = { ...run, signal: AbortSignal.any([signal, failing.signal]) };
    const results = await Promise.allSettled(
      members.map(async (member, index) => {
        run.emit({ index, delta: { role: "assistant", content: "" }, finish_reason: null });
        const answer = await this.#answer(all, member, index).catch((error: unknown) => {
          failing.abort(error);
          throw error;
        });
        completionTokens += answer.sample.tokenIds.length;
        unfinished--;
        const { finish, record, sample } = answer;
        const first = marks.first ?? marks.last;
        push({
          system_fingerprint: this.#fingerprint(sample, member),
          choices: [
            {
              index,
              delta: {},
              finish_reason: finish,
              logprobs: request.logprobs === true ? this.#logprobs(sample) : null,
              record,
            },
          ],
          ...(unfinished === 0 && {
            timings: timingsOf({
              cached: cachedTokens,
              prompt: promptTokenIds.length - cachedTokens,
              promptMs: first - start,
              predicted: completionTokens,
              // The first token of each choice came with the prompt.
              decoded: completionTokens - members.length,
              predictedMs: marks.last - first,
            }),
          }),
        });
      }),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw signal.aborted ? signal.reason : failed.reason;
    if (request.stream_options?.include_usage !== true) return;
    const usage: ChatUsage = {
      prompt_tokens: promptTokenIds.length,
      completion_tokens: completionTokens,
      total_tokens: promptTokenIds.length + completionTokens,
      prompt_tokens_details: { cached_tokens: cachedTokens },
    };
    push({ choices: [], usage });
  }

  async #answer(run: Run, member: PooledSession, index: number): Promise<Answer> {
    const { request, signal, marks, promptTokenIds } = run;
    const reader = createTurnReader({
      format: this.#format,
      tools: readsTools(request) ? (request.tools ?? []).map(toolDefinition) : null,
      stops: stopTexts(request),
      newCallId: () => `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`,
    });
    const folder = createMessageFolder();
    const emit = (deltas: ReturnType<typeof reader.push>): void => {
      for (const delta of deltas) {
        folder.push(delta);
        run.emit({ index, delta, finish_reason: null });
      }
    };
    const stopping = new AbortController();
    let seen = 0;
    let pooled = member;
    const grammar = grammarOf(request, this.#format.toolCallFormat);
    const sampling = samplingOf(request, run.seed, index);
    const options: GenerateOptions = {
      sampling,
      stopTokenIds: this.#format.stopTokenIds,
      maxTokens:
        request.max_completion_tokens ??
        request.max_tokens ??
        this.#policy.contextLength - promptTokenIds.length,
      signal: AbortSignal.any([signal, stopping.signal]),
      ...(grammar && { grammar: grammar.spec }),
      onToken: (tokenId) => {
        marks.last = this.#now();
        marks.first ??= marks.last;
        if (reader.isStopped) return;
        seen++;
        emit(reader.push(tokenId));
        if (reader.isStopped) stopping.abort();
      },
    };
    let sample: Sample;
    try {
      sample = await pooled.session.generate(options);
    } catch (error) {
      this.#pool.discard(pooled);
      throw error;
    }
    pooled.readCount = Math.max(0, pooled.session.tokenIds.length - 1);
    if (signal.aborted) {
      this.#pool.release(pooled, null);
      throw signal.reason;
    }
    if (grammar?.isRequired && typeof sample.grammar !== "string") {
      this.#pool.discard(pooled);
      throw new WaggleError(
        "CAPABILITY_MISSING",
        "this policy ignored the grammar; leave response_format and tool_choice out",
      );
    }
    if (reader.isStopped && seen < sample.tokenIds.length) {
      // Drops tokens sampled after the stop text was found.
      pooled = await this.#pool.truncate(pooled, promptTokenIds.length + seen);
      sample = firstTokens(sample, seen);
    }
    emit(reader.end());
    const message = folder.message(reader.parseError === null);
    this.#pool.release(pooled, {
      start: promptTokenIds.length,
      isEnded: sample.stopReason === "stop-token",
      message,
    });
    const isCut = sample.stopReason === "max-tokens" || sample.stopReason === "context-overflow";
    return {
      index,
      sample,
      finish: isCut ? "length" : message.tool_calls === undefined ? "stop" : "tool_calls",
      record: {
        learnable: true,
        prompt_token_ids: [...promptTokenIds],
        token_ids: [...sample.tokenIds],
        raw_logprobs: [...sample.rawLogProbs],
        behavior_logprobs: [...sample.behaviorLogProbs],
        entropies: [...sample.entropies],
        ...(sample.keptTokenIds && { kept_token_ids: [...sample.keptTokenIds] }),
        grammar: sample.grammar ?? null,
        sampling: {
          temperature: sampling.temperature,
          top_k: sampling.topK,
          top_p: sampling.topP,
          seed: sampling.seed,
        },
        base_model: this.#policy.baseModel,
        policy_version: pooled.session.policyVersion,
        fingerprint: this.#fingerprint(sample, pooled),
        // An abort that the caller did not cause was due to a stop text.
        stop_reason:
          sample.stopReason === "aborted" || reader.isStopped ? "stop-text" : sample.stopReason,
        parse_error: reader.parseError,
      },
    };
  }

  #fingerprint(sample: Sample, { session }: PooledSession): string {
    return sample.fingerprint ?? `${this.#policy.baseModel.slice(0, 12)}@${session.policyVersion}`;
  }

  #logprobs(sample: Sample): ChatLogprobs {
    const isEnded = sample.stopReason === "stop-token";
    const encoder = new TextEncoder();
    return {
      refusal: null,
      content: sample.tokenIds.slice(0, isEnded ? -1 : undefined).map((tokenId, index) => {
        const token = this.#format.decodeAssistant([tokenId]);
        return {
          token,
          bytes: token.includes("\uFFFD") ? null : [...encoder.encode(token)],
          logprob: sample.rawLogProbs[index] as number,
          top_logprobs: [],
        };
      }),
    };
  }
}

function firstTokens(sample: Sample, count: number): Sample {
  return {
    ...sample,
    tokenIds: sample.tokenIds.slice(0, count),
    behaviorLogProbs: sample.behaviorLogProbs.slice(0, count),
    rawLogProbs: sample.rawLogProbs.slice(0, count),
    entropies: sample.entropies.slice(0, count),
    ...(sample.keptTokenIds && { keptTokenIds: sample.keptTokenIds.slice(0, count) }),
  };
}

function timingsOf(counted: {
  readonly cached: number;
  readonly prompt: number;
  readonly promptMs: number;
  readonly predicted: number;
  readonly decoded: number;
  readonly predictedMs: number;
}): NonNullable<ChatCompletionChunk["timings"]> {
  const perSecond = (tokens: number, ms: number): number => (ms > 0 ? (1000 * tokens) / ms : 0);
  return {
    cache_n: counted.cached,
    prompt_n: counted.prompt,
    prompt_ms: counted.promptMs,
    prompt_per_second: perSecond(counted.prompt, counted.promptMs),
    predicted_n: counted.predicted,
    predicted_ms: counted.predictedMs,
    predicted_per_second: perSecond(counted.decoded, counted.predictedMs),
  };
}
