/**
 * A chat as the AI SDK's `LanguageModelV4`, loaded at the first call if necessary. Uses only types of
 * `@ai-sdk/provider`, so nothing of the SDK is loaded.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { SharedSource } from "../chat/chat-source.ts";
import type { ChatSource } from "../chat/chat-source.ts";
import type { ChatAvailability } from "../chat/chat-types.ts";
import { toChatRequest } from "./chat-request.ts";
import { apiCallError } from "./api-call-error.ts";
import { metadataOf, toFinishReason, toStreamParts, toUsage } from "./stream-parts.ts";

/** Options of `createLanguageModel`. */
export type WaggleLanguageModelOptions = {
  /** `sourceOf(chat)` for a chat that is already loaded. */
  readonly source: ChatSource;
  /** Default `local`. */
  readonly modelId?: string;
};

/** A `LanguageModelV4` that can report and load its model. */
export type WaggleLanguageModel = LanguageModelV4 & {
  /** Whether a call would have to load the model first. */
  availability(): Promise<ChatAvailability>;
  /** Loads the model. @param onProgress - called with the loaded share, 0 to 1. */
  createSessionWithProgress(onProgress?: (loaded: number) => void): Promise<WaggleLanguageModel>;
};

/** A model for `generateText`, `streamText` and agents of the AI SDK. */
export function createLanguageModel(options: WaggleLanguageModelOptions): WaggleLanguageModel {
  const source = new SharedSource(options.source);

  const doGenerate = async (
    call: LanguageModelV4CallOptions,
  ): Promise<LanguageModelV4GenerateResult> => {
    const { request, warnings } = toChatRequest(call);
    const signal = call.abortSignal;
    const answer = await source
      .open({ signal })
      .then((chat) => chat.completions.create({ ...request, stream: false }, { signal }))
      .catch((error: unknown) => {
        throw apiCallError(error, request);
      });
    const choice = answer.choices[0];
    const content: LanguageModelV4Content[] = [];
    const thought = choice?.message.reasoning_content;
    if (thought !== undefined) content.push({ type: "reasoning", text: thought });
    if (choice?.message.content) content.push({ type: "text", text: choice.message.content });
    for (const { id, function: called } of choice?.message.tool_calls ?? []) {
      content.push({
        type: "tool-call",
        toolCallId: id,
        toolName: called.name,
        input: called.arguments,
      });
    }
    const { id, model, created } = answer;
    return {
      content,
      finishReason: toFinishReason(choice?.finish_reason ?? null),
      usage: toUsage(answer.usage),
      ...metadataOf(choice?.record, answer.timings),
      response: { id, modelId: model, timestamp: new Date(created * 1000) },
      warnings,
    };
  };

  const doStream = async (
    call: LanguageModelV4CallOptions,
  ): Promise<LanguageModelV4StreamResult> => {
    const { request, warnings } = toChatRequest(call);
    const signal = call.abortSignal;
    const asked = { ...request, stream: true as const, stream_options: { include_usage: true } };
    const chunks = await source
      .open({ signal })
      .then((chat) => chat.completions.create(asked, { signal }))
      .catch((error: unknown) => {
        throw apiCallError(error, request);
      });
    const parts = toStreamParts(chunks, warnings, call.includeRawChunks ?? false);
    return { stream: streamOf(parts, request, signal) };
  };

  const model: WaggleLanguageModel = {
    specificationVersion: "v4",
    provider: "waggle",
    modelId: options.modelId ?? "local",
    supportedUrls: {},
    doGenerate,
    doStream,
    availability: () => source.availability(),
    createSessionWithProgress: async (onProgress) => {
      await source.open({ onProgress });
      return model;
    },
  };
  return model;
}

/** The SDK expects errors as parts; an abort ends the stream with its reason. */
function streamOf(
  parts: AsyncGenerator<LanguageModelV4StreamPart, void>,
  request: object,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (signal?.aborted) {
          controller.error(error);
          return;
        }
        controller.enqueue({ type: "error", error: apiCallError(error, request) });
        controller.close();
      }
    },
    async cancel() {
      await parts.return();
    },
  });
}
