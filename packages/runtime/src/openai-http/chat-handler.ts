/** Serves a chat over OpenAI's HTTP route, on any server that uses `Request`. */
import { WaggleError } from "@waggle/protocol";
import type { Chat, ChatCompletionChunk, ChatRequest } from "../chat/chat-types.ts";
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
      const body = await bodyOf(request);
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

async function bodyOf(request: Request): Promise<ChatRequest> {
  try {
    return (await request.json()) as ChatRequest;
  } catch (cause) {
    throw new WaggleError("INVALID_ARGUMENT", "the request is not JSON", { cause });
  }
}

function refusal(status: number, error: unknown): Response {
  return Response.json({ error: toBody(error) }, { status });
}

function toBody(error: unknown): { message: string; code: string; type: string } {
  // Other errors may reveal more about the server than clients should know.
  if (!WaggleError.is(error)) return { message: "internal error", code: "INTERNAL", type: "error" };
  return { message: error.message, code: error.code, type: "error" };
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
