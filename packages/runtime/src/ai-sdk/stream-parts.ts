/** Converts chunks of a chat to the AI SDK's stream parts. */
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type {
  ChatCompletionChunk,
  ChatFinishReason,
  ChatRecord,
  ChatTimings,
  ChatUsage,
} from "../chat/chat-types.ts";

/** The open part: the SDK requires each part to be closed before the next begins. */
type Open =
  | { type: "text" | "reasoning"; id: string }
  | { type: "tool"; id: string; name: string; input: string };

export async function* toStreamParts(
  chunks: AsyncIterable<ChatCompletionChunk>,
  warnings: SharedV4Warning[],
  includesRaw: boolean,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  yield { type: "stream-start", warnings };
  let open: Open | null = null;
  let openIndex = -1;
  let texts = 0;
  let finish: ChatFinishReason | null = null;
  let record: ChatRecord | undefined;
  let timings: ChatTimings | undefined;
  let usage: ChatUsage | undefined;
  let isFirst = true;

  const close = (): LanguageModelV4StreamPart[] => {
    const closed = open;
    open = null;
    if (closed === null) return [];
    if (closed.type !== "tool") return [{ type: `${closed.type}-end`, id: closed.id }];
    const { id, name, input } = closed;
    return [
      { type: "tool-input-end", id },
      { type: "tool-call", toolCallId: id, toolName: name, input: input === "" ? "{}" : input },
    ];
  };

  for await (const chunk of chunks) {
    if (includesRaw) yield { type: "raw", rawValue: chunk };
    if (isFirst) {
      isFirst = false;
      const { id, model, created } = chunk;
      yield { type: "response-metadata", id, modelId: model, timestamp: new Date(created * 1000) };
    }
    usage = chunk.usage ?? usage;
    timings = chunk.timings ?? timings;
    const choice = chunk.choices[0];
    if (choice === undefined) continue;
    const { content, reasoning_content: thought, tool_calls: calls = [] } = choice.delta;
    for (const [type, delta] of [
      ["reasoning", thought],
      ["text", content],
    ] as const) {
      if (typeof delta !== "string" || delta === "") continue;
      if ((open as Open | null)?.type !== type) {
        yield* close();
        open = { type, id: `${type}-${texts++}` };
        yield { type: `${type}-start`, id: open.id };
      }
      yield { type: `${type}-delta`, id: (open as Open).id, delta };
    }
    for (const call of calls) {
      let current = open as Open | null;
      if (current?.type !== "tool" || call.index !== openIndex) {
        yield* close();
        openIndex = call.index;
        const name = call.function?.name ?? "";
        open = current = { type: "tool", id: call.id ?? `call-${call.index}`, name, input: "" };
        yield { type: "tool-input-start", id: current.id, toolName: name };
      }
      const delta = call.function?.arguments ?? "";
      if (delta === "") continue;
      current.input += delta;
      yield { type: "tool-input-delta", id: current.id, delta };
    }
    finish = choice.finish_reason ?? finish;
    record = choice.record ?? record;
  }
  yield* close();
  yield {
    type: "finish",
    finishReason: toFinishReason(finish),
    usage: toUsage(usage),
    ...metadataOf(record, timings),
  };
}

/** Also of reasons that only some servers have. */
export function toFinishReason(reason: ChatFinishReason | null): LanguageModelV4FinishReason {
  return { unified: UNIFIED[reason ?? ""] ?? "other", raw: reason ?? undefined };
}

const UNIFIED: { readonly [reason: string]: LanguageModelV4FinishReason["unified"] } = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
};

export function toUsage(usage: ChatUsage | undefined): LanguageModelV4Usage {
  const total = usage?.prompt_tokens;
  const cached = usage?.prompt_tokens_details?.cached_tokens;
  const output = usage?.completion_tokens;
  return {
    inputTokens: {
      total,
      noCache: total === undefined || cached === undefined ? undefined : total - cached,
      cacheRead: cached,
      cacheWrite: undefined,
    },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

/** `providerMetadata.waggle`: what learning needs, in the SDK's spelling. */
export function metadataOf(
  record: ChatRecord | undefined,
  timings: ChatTimings | undefined,
): { providerMetadata?: SharedV4ProviderMetadata } {
  if (record === undefined) return {};
  if (!record.learnable) return { providerMetadata: { waggle: { ...record } } };
  const { sampling, kept_token_ids: kept } = record;
  return {
    providerMetadata: {
      waggle: {
        learnable: true,
        promptTokenIds: record.prompt_token_ids,
        tokenIds: record.token_ids,
        logprobs: record.behavior_logprobs,
        rawLogprobs: record.raw_logprobs,
        entropies: record.entropies,
        ...(kept && { keptTokenIds: kept }),
        grammar: record.grammar,
        sampling: {
          temperature: sampling.temperature,
          topK: sampling.top_k,
          topP: sampling.top_p,
          seed: sampling.seed,
        },
        policy: {
          baseModel: record.base_model,
          version: record.policy_version,
          fingerprint: record.fingerprint,
        },
        stopReason: record.stop_reason,
        parseError: record.parse_error,
        ...(timings && { timings: { ...timings } }),
      },
    },
  };
}
