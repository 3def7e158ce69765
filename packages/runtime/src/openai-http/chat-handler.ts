/** Serves a chat over OpenAI's HTTP routes, on any server that uses `Request`. */
import { isObject, WaggleError } from "@waggle/protocol";
import type {
  Chat,
  ChatChunkChoice,
  ChatCompletion,
  ChatCompletionChunk,
  ChatRequest,
} from "../chat/chat-types.ts";
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
import { chatRequestsOf, textChunk, textCompletion } from "./text-completions.ts";

/** Options of `createChatHandler`. */
type ChatHandlerOptions = {
  /** Name of the model at `/models`. A request may name any. Default `local`. */
  readonly model?: string;
};

type Fields = { readonly [name: string]: unknown };

/** How a client writes requests and reads answers. */
type Dialect = {
  readonly requests: (body: Fields) => readonly Fields[];
  readonly answer: (answers: readonly ChatCompletion[]) => object;
  readonly chunk: (chunk: ChatCompletionChunk) => object;
};

const first = ([answer]: readonly ChatCompletion[]): ChatCompletion => answer as ChatCompletion;
const CHAT: Dialect = { requests: (b) => [b], answer: first, chunk: (c) => c };
const FUNCTIONS: Dialect = {
  requests: (body) => [withTools(body)],
  answer: (answers) => withFunctionCall(first(answers)),
  chunk: chunkWithFunctionCall,
};
const TEXT: Dialect = { requests: chatRequestsOf, answer: textCompletion, chunk: textChunk };

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
    const requests = dialect.requests(body).map((each) => withAllowedTools(each) as ChatRequest);
    for (const each of requests) checkShape(each);
    const { signal } = request;
    const [asked] = requests;
    if (asked?.stream !== true) {
      const answers: ChatCompletion[] = [];
      for (const each of requests) {
        answers.push(await chat.completions.create({ ...each, stream: false }, { signal }));
      }
      return Response.json(dialect.answer(answers));
    }
    const chunks = await chat.completions.create({ ...asked, stream: true }, { signal });
    const iterator = chunks[Symbol.asyncIterator]();
    return new Response(toEvents(await readOpening(iterator), iterator, dialect), {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  };

  return async (request) => {
    const { pathname } = new URL(request.url);
    const [, route, name] =
      /\/(chat\/completions|completions|models)(?:\/(.+?))?\/?$/.exec(pathname) ?? [];
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
      if (name === model || name === encodeURIComponent(model)) return Response.json(described);
      throw new WaggleError("NOT_FOUND", `no such model; the model is ${model}`);
    } catch (error) {
      return refusal(statusOf(error), error);
    }
  };
}

/** Reads up to the first sampled piece, so that an error before it is answered with its status. */
async function readOpening(
  iterator: AsyncIterator<ChatCompletionChunk>,
): Promise<ChatCompletionChunk[]> {
  const opening: ChatCompletionChunk[] = [];
  for (;;) {
    const { done, value } = await iterator.next();
    if (done === true) return opening;
    opening.push(value);
    if (!value.choices.every(isOpening)) return opening;
  }
}

function isOpening({ delta, finish_reason: finish }: ChatChunkChoice): boolean {
  return finish === null && !delta.content && !delta.reasoning_content && !delta.tool_calls;
}

function toEvents(
  opening: ChatCompletionChunk[],
  iterator: AsyncIterator<ChatCompletionChunk>,
  dialect: Dialect,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const event = (data: string): Uint8Array => encoder.encode(`data: ${data}\n\n`);
  return new ReadableStream({
    async pull(controller) {
      try {
        const early = opening.shift();
        const { done, value } =
          early === undefined ? await iterator.next() : { done: false, value: early };
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
