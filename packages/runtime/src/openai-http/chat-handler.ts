/** Serves a chat over OpenAI's HTTP routes, on any server that uses `Request`. */
import { isObject, WaggleError } from "@waggle/protocol";
import type { Chat, ChatCompletion, ChatCompletionChunk, ChatRequest } from "../chat/chat-types.ts";
import { withAllowedTools } from "./allowed-tools.ts";
import { bodyOf, refusal, toBody } from "./http-answers.ts";
import { statusOf } from "./http-errors.ts";
import {
  chunkWithFunctionCall,
  usesFunctions,
  withFunctionCall,
  withTools,
} from "./legacy-functions.ts";
import { checkShape } from "./request-shape.ts";
import { chatRequestOf, textChunk, textCompletion } from "./text-completions.ts";

/** Options of `createChatHandler`. */
type ChatHandlerOptions = {
  /** Name of the model at `/models`. A request may name any. Default `local`. */
  readonly model?: string;
};

type Fields = { readonly [name: string]: unknown };

/** How a client writes requests and reads answers. */
type Dialect = {
  readonly request: (body: Fields) => Fields;
  readonly answer: (answer: ChatCompletion) => object;
  readonly chunk: (chunk: ChatCompletionChunk) => object;
};

const CHAT: Dialect = { request: (b) => b, answer: (a) => a, chunk: (c) => c };
const FUNCTIONS: Dialect = {
  request: withTools,
  answer: withFunctionCall,
  chunk: chunkWithFunctionCall,
};
const TEXT: Dialect = { request: chatRequestOf, answer: textCompletion, chunk: textChunk };

/**
 * Answers `POST …/chat/completions`, `POST …/completions`, `GET …/models` and `GET …/models/NAME`. It does not
 * authenticate: put it behind something that does.
 *
 * @returns a handler; errors become a status and OpenAI's error body.
 */
export function createChatHandler(
  chat: Chat,
  { model = "local" }: ChatHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const described = { id: model, object: "model", created: 0, owned_by: "waggle" };

  const complete = async (request: Request, isText: boolean): Promise<Response> => {
    const body = await bodyOf(request);
    if (!isObject(body)) throw new WaggleError("INVALID_ARGUMENT", "a request must be an object");
    const dialect = isText ? TEXT : usesFunctions(body) ? FUNCTIONS : CHAT;
    const asked = withAllowedTools(dialect.request(body)) as ChatRequest;
    checkShape(asked);
    const { signal } = request;
    if (asked.stream !== true) {
      const whole = await chat.completions.create({ ...asked, stream: false }, { signal });
      return Response.json(dialect.answer(whole));
    }
    const chunks = await chat.completions.create({ ...asked, stream: true }, { signal });
    return new Response(toEvents(chunks, dialect), {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  };

  return async (request) => {
    const { pathname } = new URL(request.url);
    const [, route, name] =
      /\/(chat\/completions|completions|models)(?:\/([^/]+))?\/?$/.exec(pathname) ?? [];
    const isModels = route === "models";
    if (route === undefined || (name !== undefined && !isModels)) {
      const routes = "chat/completions, completions and models";
      return refusal(404, new WaggleError("NOT_FOUND", `no such route; the routes are ${routes}`));
    }
    const method = isModels ? "GET" : "POST";
    if (request.method !== method) {
      const error = new WaggleError("METHOD_NOT_ALLOWED", `the method must be ${method}`);
      return refusal(405, error, { allow: method });
    }
    try {
      if (!isModels) return await complete(request, route === "completions");
      if (name === undefined) return Response.json({ object: "list", data: [described] });
      if (name === encodeURIComponent(model)) return Response.json(described);
      throw new WaggleError("NOT_FOUND", `no such model; the model is ${model}`);
    } catch (error) {
      return refusal(statusOf(error), error);
    }
  };
}

function toEvents(
  chunks: AsyncIterable<ChatCompletionChunk>,
  dialect: Dialect,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const event = (data: string): Uint8Array => encoder.encode(`data: ${data}\n\n`);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (done !== true) {
          controller.enqueue(event(JSON.stringify(dialect.chunk(value))));
          return;
        }
        controller.enqueue(event("[DONE]"));
      } catch (error) {
        controller.enqueue(event(JSON.stringify({ error: toBody(error, statusOf(error)) })));
      }
      controller.close();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
