/** Serves a chat over OpenAI's HTTP route, on any server that uses `Request`. */
import { WaggleError } from "@waggle/protocol";
import type { Chat, ChatCompletionChunk, ChatRequest } from "../chat/chat-types.ts";
import { bodyOf, refusal, toBody } from "./http-answers.ts";
import { statusOf } from "./http-errors.ts";

/**
 * Answers `POST …/chat/completions`. It does not authenticate: put it behind something that does.
 *
 * @returns a handler; errors become a status and OpenAI's error body.
 */
export function createChatHandler(chat: Chat): (request: Request) => Promise<Response> {
  return async (request) => {
    if (!new URL(request.url).pathname.endsWith("/chat/completions")) {
      return refusal(404, new WaggleError("NOT_FOUND", "the path must end in /chat/completions"));
    }
    if (request.method !== "POST") {
      return refusal(405, new WaggleError("METHOD_NOT_ALLOWED", "the method must be POST"));
    }
    try {
      const body = (await bodyOf(request)) as ChatRequest;
      const { signal } = request;
      if (body.stream !== true) {
        return Response.json(await chat.completions.create({ ...body, stream: false }, { signal }));
      }
      const chunks = await chat.completions.create({ ...body, stream: true }, { signal });
      return new Response(toEvents(chunks), {
        headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
      });
    } catch (error) {
      return refusal(statusOf(error), error);
    }
  };
}

function toEvents(chunks: AsyncIterable<ChatCompletionChunk>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const event = (data: string): Uint8Array => encoder.encode(`data: ${data}\n\n`);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (done !== true) {
          controller.enqueue(event(JSON.stringify(value)));
          return;
        }
        controller.enqueue(event("[DONE]"));
      } catch (error) {
        controller.enqueue(event(JSON.stringify({ error: toBody(error) })));
      }
      controller.close();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
