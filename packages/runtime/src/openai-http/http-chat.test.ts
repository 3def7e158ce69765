import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { firstAvailable } from "../chat/chat-source.ts";
import type { Chat, ChatRequest } from "../chat/chat-types.ts";
import { CALL, collect, openScripted, said, SEARCH_TOOL } from "../chat/scripted-chat.fixture.ts";
import { createChatHandler } from "./chat-handler.ts";
import { createHttpChat } from "./http-chat.ts";
import type { HttpChatOptions } from "./http-chat.ts";
import { statusOf } from "./http-errors.ts";
import { localServer } from "../../../../test/fixtures/local-server.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A real HTTP server in this process. */
async function serve(handle: (request: Request) => Promise<Response> | Response): Promise<string> {
  const { origin, close } = await localServer(handle);
  closers.push(close);
  return `${origin}/v1`;
}

const connect = (baseUrl: string, options: Partial<HttpChatOptions> = {}): Promise<Chat> =>
  createHttpChat({ baseUrl, sleep: () => Promise.resolve(), ...options }).open();

const hello = { messages: [{ role: "user", content: "hi" }], seed: 2 } satisfies ChatRequest;
const withTools = { ...hello, tools: [SEARCH_TOOL], logprobs: true };

describe("our chat behind HTTP", () => {
  test("answers over HTTP as it does locally, including records", async () => {
    const local = openScripted([said(`Wait. ${CALL}`)]).chat;
    const here = await local.completions.create({ ...withTools, stream: false });
    const served = openScripted([said(`Wait. ${CALL}`), said(`Wait. ${CALL}`)]).chat;
    const chat = await connect(await serve(createChatHandler(served)));
    const there = await chat.completions.create({ ...withTools, stream: false });
    expect(there.choices[0]?.record).toEqual(here.choices[0]?.record);
    expect(there.choices[0]?.record).toMatchObject({ learnable: true });
    const chunks = await collect(
      await chat.completions.create({
        ...withTools,
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(there.usage?.completion_tokens);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("Wait. ");
  });

  test("works with OpenAI's own client, with and without streaming, with tools and errors", async () => {
    const served = openScripted([said("Hello."), said("Hello."), said(CALL)]).chat;
    const baseURL = await serve(createChatHandler(served));
    const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
    const messages = [{ role: "user" as const, content: "hi" }];
    const answer = await client.chat.completions.create({
      model: "nano",
      messages,
      logprobs: true,
    });
    expect(answer.choices[0]?.message.content).toBe("Hello.");
    expect(answer.choices[0]?.logprobs?.content).toHaveLength(6);
    const stream = client.chat.completions.stream({ model: "nano", messages });
    expect(await stream.finalContent()).toBe("Hello.");
    const called = client.chat.completions.stream({
      model: "nano",
      messages,
      tools: [SEARCH_TOOL],
    });
    const message = await called.finalMessage();
    expect(message.tool_calls?.[0]).toMatchObject({
      function: { name: "search", arguments: '{"query":"é"}' },
    });
    const refused = client.chat.completions.create({ model: "nano", messages, top_logprobs: 3 });
    await expect(refused).rejects.toMatchObject({ status: 400, code: "CAPABILITY_MISSING" });
  });

  test("errors keep their codes, including those for a wrong path and method", async () => {
    const served = openScripted([], { policyOptions: { contextLength: 10 } }).chat;
    const url = await serve(createChatHandler(served));
    const chat = await connect(url);
    await expect(chat.completions.create(hello)).rejects.toMatchObject({
      code: "CONTEXT_OVERFLOW",
      retryable: false,
    });
    expect((await fetch(`${url}/embeddings`)).status).toBe(404);
    expect((await fetch(`${url}/chat/completions`)).status).toBe(405);
  });

  test("leaving a stream ends the generation on the server", async () => {
    let sampled = 0;
    const served = openScripted([said("x".repeat(5000))], {
      policyOptions: {
        beforeToken: async (index) => {
          sampled = index;
          await new Promise((resolve) => setImmediate(resolve));
        },
      },
    }).chat;
    const chat = await connect(await serve(createChatHandler(served)));
    const abort = new AbortController();
    const stream = await chat.completions.create(
      { ...hello, stream: true },
      { signal: abort.signal },
    );
    const reading = (async () => {
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) abort.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: "AbortError" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const after = sampled;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sampled).toBe(after);
    expect(sampled).toBeLessThan(4000);
  });
});

describe("a foreign server", () => {
  const foreign = {
    id: "x",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        logprobs: null,
        message: { role: "assistant", content: "Hi." },
      },
    ],
  };

  test("receives OpenAI's request, and its answers are not learnable", async () => {
    const seen: { body: unknown; authorization: string | null }[] = [];
    const chat = await connect("http://localhost:1/v1/", {
      apiKey: "k",
      model: "m",
      fetch: async (url, init) => {
        const request = new Request(url, init);
        seen.push({
          body: await request.json(),
          authorization: request.headers.get("authorization"),
        });
        return Response.json(foreign);
      },
    });
    const answer = await chat.completions.create({ ...hello, top_k: 0, temperature: 0.5 });
    expect(seen).toEqual([
      {
        body: { ...hello, stream: false, temperature: 0.5, model: "m" },
        authorization: "Bearer k",
      },
    ]);
    expect(answer.choices[0]?.record).toMatchObject({ learnable: false });
    await expect(chat.completions.create({ ...hello, top_k: 5 })).rejects.toMatchObject({
      code: "CAPABILITY_MISSING",
    });
    expect(await chat.countTokens(hello)).toBeNull();
  });

  test("that is busy is retried when it says, or with growing pauses", async () => {
    const waits: number[] = [];
    const answers = [
      new Response("busy", { status: 429, headers: { "retry-after": "3" } }),
      new Response(null, { status: 503 }),
      new Response("busy", {
        status: 429,
        headers: { "retry-after": "1", "retry-after-ms": "40" },
      }),
      Response.json(foreign),
    ];
    const chat = await connect("http://localhost:1", {
      retries: 3,
      fetch: () => Promise.resolve(answers.shift() as Response),
      sleep: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
    });
    expect((await chat.completions.create(hello)).choices[0]?.message.content).toBe("Hi.");
    expect(waits).toEqual([3000, 1000, 40]);
  });

  test.each([
    [401, "UNAUTHENTICATED", false, 1, 401],
    [403, "FORBIDDEN", false, 1, 403],
    [404, "NOT_FOUND", false, 1, 404],
    [413, "PAYLOAD_TOO_LARGE", false, 1, 413],
    [422, "INVALID_ARGUMENT", false, 1, 400],
    [429, "RATE_LIMITED", true, 3, 429],
    [500, "NETWORK", true, 3, 503],
  ])("status %i is %s", async (status, code, retryable, attempts, servedAs) => {
    let asked = 0;
    const chat = await connect("http://localhost:1", {
      fetch: () => {
        asked++;
        return Promise.resolve(Response.json({ error: { message: "because" } }, { status }));
      },
    });
    const error: unknown = await chat.completions.create(hello).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, retryable, message: expect.stringContaining("because") });
    expect(asked).toBe(attempts);
    expect(statusOf(error)).toBe(servedAs);
  });

  test("that is unreachable, or drops the connection, is a retryable NETWORK error", async () => {
    const gone = await connect("http://127.0.0.1:9/v1");
    await expect(gone.completions.create(hello)).rejects.toMatchObject({
      code: "NETWORK",
      retryable: true,
    });
    const chunk =
      'data: {"id":"x","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n';
    const url = await serve(
      () => new Response(chunk, { headers: { "content-type": "text/event-stream" } }),
    );
    const cut = await (await connect(url)).completions.create({ ...hello, stream: true });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const part of cut) seen.push(part.choices[0]?.delta.content ?? "");
    })();
    await expect(reading).rejects.toMatchObject({ code: "NETWORK", retryable: true });
    expect(seen).toEqual(["a"]);
  });

  test("may end its stream without [DONE], once every choice has ended", async () => {
    const event = (index: number, text: string, finish: string | null) =>
      `data: ${JSON.stringify({ id: "x", choices: [{ index, delta: { content: text }, finish_reason: finish }] })}\n\n`;
    const read = async (...events: string[]): Promise<string> => {
      const headers = { "content-type": "text/event-stream" };
      const url = await serve(() => new Response(events.join(""), { headers }));
      const stream = await (await connect(url)).completions.create({ ...hello, stream: true });
      const chunks = await collect(stream);
      return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
    };
    expect(await read(event(0, "a", null), event(0, "b", "stop"))).toBe("ab");
    const cut = read(event(0, "a", "stop"), event(1, "b", null));
    await expect(cut).rejects.toMatchObject({ code: "NETWORK", retryable: true });
  });

  test.each([
    ["both names", [], [[7, 7]]],
    [
      "the new name if it refuses both",
      ["'max_tokens' and 'max_completion_tokens' at the same time is not supported"],
      [
        [7, 7],
        [undefined, 7],
      ],
    ],
    [
      "the old name if it knows only that",
      ["max_completion_tokens: Extra inputs", "max_completion_tokens: Extra inputs"],
      [
        [7, 7],
        [undefined, 7],
        [7, undefined],
      ],
    ],
  ])("gets the token limit under %s", async (_, refusals, expected) => {
    const seen: unknown[] = [];
    const messages = [...refusals];
    const chat = await connect("http://localhost:1", {
      fetch: async (url, init) => {
        const body = (await new Request(url, init).json()) as { [name: string]: unknown };
        seen.push([body["max_tokens"], body["max_completion_tokens"]]);
        const message = messages.shift();
        if (message === undefined) return Response.json(foreign);
        return Response.json({ error: { message } }, { status: 400 });
      },
    });
    await chat.completions.create({ ...hello, max_tokens: 7 });
    await chat.completions.create({ ...hello, max_completion_tokens: 7 });
    expect(seen).toEqual([...expected, expected.at(-1)]);
  });

  test("is not asked twice for a token limit that is too large", async () => {
    let asked = 0;
    const chat = await connect("http://localhost:1", {
      fetch: () => {
        asked++;
        const message = "max_completion_tokens is too large: 7";
        return Promise.resolve(Response.json({ error: { message } }, { status: 400 }));
      },
    });
    await expect(chat.completions.create({ ...hello, max_tokens: 7 })).rejects.toThrow(/too large/);
    expect(asked).toBe(1);
  });

  test("may send null errors, usage without choices, comments, and errors as texts", async () => {
    const read = async (...events: string[]): Promise<string> => {
      const headers = { "content-type": "text/event-stream" };
      const url = await serve(() => new Response(events.join("\n\n"), { headers }));
      const stream = await (await connect(url)).completions.create({ ...hello, stream: true });
      const chunks = await collect(stream);
      return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
    };
    const piece = (finish: string | null) =>
      `data: {"error":null,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":${JSON.stringify(finish)}}]}`;
    const usage = 'data: {"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}';
    expect(await read(": waiting", piece(null), piece("stop"), usage, "data: [DONE]", "")).toBe(
      "aa",
    );
    const failed = read(piece(null), 'data: {"error":"overloaded","error_type":"x"}', "");
    await expect(failed).rejects.toThrow(/overloaded/);
  });

  test("may write null for what it leaves out, and Hugging Face's reasons of an end", async () => {
    const odd = { content: "Hi.", reasoning_content: null, tool_calls: null };
    const choice = { index: 0, message: odd, delta: odd, finish_reason: "eos_token" };
    const events = `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
    const bodies = [JSON.stringify({ choices: [choice] }), events, "{}"];
    const chat = await connect("http://localhost:1", {
      fetch: () => Promise.resolve(new Response(bodies.shift())),
      retries: 0,
    });
    const whole = await chat.completions.create(hello);
    const message = { role: "assistant", content: "Hi.", refusal: null };
    expect(whole.choices[0]).toMatchObject({ message, finish_reason: "stop" });
    expect(whole.choices[0]?.message).toEqual(message);
    const [piece] = await collect(await chat.completions.create({ ...hello, stream: true }));
    expect(piece?.choices[0]).toMatchObject({ delta: { content: "Hi." }, finish_reason: "stop" });
    expect(piece?.choices[0]?.delta).toEqual({ content: "Hi." });
    await expect(chat.completions.create(hello)).rejects.toMatchObject({ code: "NETWORK" });
  });

  test("an abort while waiting rejects with its reason", async () => {
    const abort = new AbortController();
    const chat = await connect("http://localhost:1", {
      fetch: () => Promise.resolve(new Response(null, { status: 503 })),
      sleep: () => {
        abort.abort(new Error("enough"));
        return Promise.resolve();
      },
    });
    await expect(chat.completions.create(hello, { signal: abort.signal })).rejects.toThrow(
      "enough",
    );
  });
});

test("the first source that opens is used, and an abort ends the search", async () => {
  const { chat } = openScripted([]);
  const opened: string[] = [];
  const source = (name: string, availability: "available" | "unavailable", error?: Error) => ({
    availability: () => Promise.resolve(availability),
    open: () => {
      opened.push(name);
      return error ? Promise.reject(error) : Promise.resolve(chat);
    },
  });
  const sources = [
    source("none", "unavailable"),
    source("broken", "available", new Error("no memory")),
    source("good", "available"),
    source("spare", "available"),
  ];
  expect(await firstAvailable(sources)).toBe(chat);
  expect(opened).toEqual(["broken", "good"]);
  await expect(firstAvailable(sources.slice(0, 2))).rejects.toMatchObject({
    code: "DEVICE_UNAVAILABLE",
    cause: { errors: [new Error("no memory")] },
  });
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(firstAvailable(sources, { signal })).rejects.toThrow("enough");
});
