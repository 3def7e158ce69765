/**
 * A policy whose model runs behind HTTP: real servers with our own decoder behind the wires of vLLM and SGLang.
 * What it records is what the model scores here.
 */
import type { Adapter } from "@waggle/model";
import { FULL_SUPPORT, type GenerateOptions, isObject } from "@waggle/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createNodePolicy } from "../node/node-policy.ts";
import type { AdaptivePolicy } from "../session/session.ts";
import {
  TINY_BASE_MODEL,
  TINY_CONFIG,
  tinyAdapter,
  tinyPrompt,
  tinyWeights,
} from "../tiny-decoder.fixture.ts";
import { createCompletionsHandler } from "./completions-handler.ts";
import { findServer } from "./find-server.ts";
import { type LocalServer, localServer } from "../../../../test/fixtures/local-server.ts";
import { createServedPolicy, type ServedPolicyOptions } from "./served-policy.ts";

let model: AdaptivePolicy;
let reference: AdaptivePolicy;
const adapters = new Map<string, Adapter>();
const servers: LocalServer[] = [];
const seen: { path: string; body: Record<string, unknown> }[] = [];

const open = () =>
  createNodePolicy({
    config: TINY_CONFIG,
    weights: tinyWeights(),
    baseModel: TINY_BASE_MODEL,
    threads: 1,
  });

beforeAll(async () => {
  model = await open();
  reference = await open();
});
afterAll(async () => {
  await model.dispose();
  await reference.dispose();
});
afterEach(() => {
  for (const { close } of servers.splice(0)) close();
  seen.length = 0;
});

const readAdapter = async (path: string): Promise<Adapter> => {
  const adapter = adapters.get(path);
  if (adapter === undefined) throw new Error(`nothing in ${path}`);
  return adapter;
};

/** As vLLM, with a note of every request. */
async function vllm(): Promise<string> {
  const handle = createCompletionsHandler(model, { model: "tiny", readAdapter });
  return serve(async (request) => {
    const body: unknown = request.method === "POST" ? await request.clone().json() : {};
    seen.push({ path: new URL(request.url).pathname, body: isObject(body) ? { ...body } : {} });
    return handle(request);
  });
}

/** As SGLang: its own route and shapes over the same model. */
async function sglang(): Promise<string> {
  const handle = createCompletionsHandler(model, { model: "tiny", readAdapter });
  return serve(async (request) => {
    const { pathname, origin } = new URL(request.url);
    if (pathname === "/v1/models") {
      return Response.json({ data: [{ id: "tiny", owned_by: "sglang", max_model_len: 160 }] });
    }
    const given = (await request.json()) as Record<string, unknown>;
    const post = async (path: string, body: object): Promise<Response> =>
      handle(new Request(`${origin}${path}`, { method: "POST", body: JSON.stringify(body) }));
    if (pathname !== "/generate") return post(`/v1${pathname}`, given);
    const { max_new_tokens, sampling_seed, ...params } = given["sampling_params"] as Record<
      string,
      unknown
    >;
    const answer = await post("/v1/completions", {
      ...params,
      model: given["lora_path"] ?? "tiny",
      prompt: given["input_ids"],
      max_tokens: max_new_tokens,
      seed: sampling_seed,
    });
    const { choices } = (await answer.json()) as {
      choices: {
        token_ids: number[];
        finish_reason: string;
        logprobs: { token_logprobs: number[] };
      }[];
    };
    const [choice] = choices;
    if (choice === undefined) throw new Error("no choice");
    const { token_ids, finish_reason, logprobs } = choice;
    return Response.json({
      text: "",
      meta_info: {
        finish_reason: { type: finish_reason },
        output_token_logprobs: token_ids.map((id, i) => [logprobs.token_logprobs[i], id, null]),
      },
    });
  });
}

async function serve(handle: (request: Request) => Promise<Response> | Response): Promise<string> {
  const server = await localServer(handle);
  servers.push(server);
  return server.origin;
}

function policyAt(origin: string, options: Partial<ServedPolicyOptions> = {}) {
  return createServedPolicy({
    origin,
    api: "openai",
    model: "tiny",
    baseModel: TINY_BASE_MODEL,
    contextLength: 160,
    vocabularySize: TINY_CONFIG.vocabularySize,
    storeAdapter: async (name, adapter) => {
      adapters.set(`/shared/${name}`, adapter);
      return `/shared/${name}`;
    },
    sleep: () => Promise.resolve(),
    ...options,
  });
}

const generation = (seed: number, more: Partial<GenerateOptions> = {}): GenerateOptions => ({
  sampling: { ...FULL_SUPPORT, seed },
  stopTokenIds: [3],
  maxTokens: 24,
  ...more,
});

const largestGap = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

describe.each([
  ["openai", vllm],
  ["sglang", sglang],
] as const)("over the wire of %s", (api, start) => {
  test("records the log-probs that the same model scores here, version by version", async () => {
    const origin = await start();
    expect(await findServer(origin)).toEqual({ api, model: "tiny", contextLength: 160 });
    const policy = policyAt(origin, { api });
    for (const [version, adapter] of [null, tinyAdapter(1), tinyAdapter(2)].entries()) {
      await policy.setAdapter(version, adapter);
      await reference.setAdapter(version, adapter);
      const context = await policy.createContext();
      expect(context.policyVersion).toBe(version);
      context.append(tinyPrompt(9, version));
      const first = await context.generate(generation(version));
      context.append([5, 6]);
      const second = await context.generate(generation(version + 10));
      const { behaviorLogProbs } = await reference.score({
        tokenIds: context.tokenIds,
        sampling: FULL_SUPPORT,
      });
      const recorded = [...first.behaviorLogProbs, 0, 0, ...second.behaviorLogProbs];
      const scored = behaviorLogProbs.slice(9).map((value, i) => (recorded[i] === 0 ? 0 : value));
      expect(recorded).toHaveLength(scored.length);
      expect(largestGap(recorded, scored)).toBeLessThanOrEqual(1e-4);
      for (const { tokenIds, stopReason } of [first, second]) {
        const stop = stopReason === "stop-token" ? tokenIds.at(-1) : undefined;
        expect(stop).toBe(stopReason === "stop-token" ? 3 : undefined);
      }
      context.dispose();
    }
    await policy.dispose();
  });
});

test("asks for plain sampling of every token, whatever the model's own defaults are", async () => {
  const policy = policyAt(await vllm(), { apiKey: "k" });
  const context = await policy.createContext();
  context.append(tinyPrompt(5));
  await context.generate(generation(7));
  expect(seen[0]).toMatchObject({
    path: "/v1/completions",
    body: {
      prompt: tinyPrompt(5),
      model: "tiny",
      temperature: 1,
      top_p: 1,
      top_k: 0,
      repetition_penalty: 1,
      seed: 7,
      stop_token_ids: [3],
      ignore_eos: true,
      logprobs: 1,
      return_token_ids: true,
    },
  });
});

test("an adapter is sent once, stays while a context samples from it, and is unloaded then", async () => {
  const policy = policyAt(await vllm());
  const adapter = tinyAdapter(3);
  await policy.setAdapter(1, adapter);
  const old = await policy.createContext();
  old.append(tinyPrompt(4));
  await policy.setAdapter(2, { ...adapter, tensors: new Map(adapter.tensors) });
  await policy.setAdapter(3, tinyAdapter(4));
  const paths = (): string[] => seen.map(({ path }) => path.slice("/v1/".length));
  expect(paths()).toEqual(["load_lora_adapter", "load_lora_adapter"]);
  expect((await old.generate(generation(1))).tokenIds.length).toBeGreaterThan(0);
  expect(old.policyVersion).toBe(1);
  old.adoptCurrentVersion();
  expect(old.policyVersion).toBe(3);
  await expect.poll(paths).toContain("unload_lora_adapter");
  expect((await old.generate(generation(2))).tokenIds.length).toBeGreaterThan(0);
  old.dispose();
  await policy.dispose();
  await expect.poll(() => paths().filter((path) => path.startsWith("un"))).toHaveLength(2);
});

test("a limit, the context's end and an abort are stop reasons", async () => {
  const policy = policyAt(await vllm(), { contextLength: 12 });
  const context = await policy.createContext();
  context.append(tinyPrompt(6));
  const told: number[] = [];
  const cut = await context.generate(
    generation(1, { maxTokens: 2, stopTokenIds: [], onToken: (id) => told.push(id) }),
  );
  expect(cut).toMatchObject({ stopReason: "max-tokens", tokenIds: told });
  expect(told).toHaveLength(2);
  const full = await context.generate(generation(2, { stopTokenIds: [] }));
  expect(full.tokenIds).toHaveLength(4);
  expect(full.stopReason).toBe("context-overflow");
  expect((await context.generate(generation(3))).stopReason).toBe("context-overflow");
  const other = await policy.createContext();
  other.append([1]);
  expect(await other.generate(generation(4, { signal: AbortSignal.abort() }))).toMatchObject({
    stopReason: "aborted",
    tokenIds: [],
  });
});

test.each([
  [{ temperature: 0.7 }, /asked for .*0\.7/],
  [{ topK: 5 }, /asked for/],
  [{ topP: 0.9 }, /asked for/],
])("other sampling is refused: %j", async (change, message) => {
  const policy = policyAt("http://127.0.0.1:9");
  const context = await policy.createContext();
  context.append([1]);
  const sampling = { ...FULL_SUPPORT, seed: 1, ...change };
  await expect(context.generate(generation(1, { sampling }))).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringMatching(message),
  });
});

const choice = (change: object): object => ({
  choices: [
    {
      finish_reason: "stop",
      token_ids: [4, 3],
      logprobs: { tokens: ["token_id:4", "token_id:3"], token_logprobs: [-1, -2] },
      ...change,
    },
  ],
});

test("ids are read from the log-probs where a server has no token_ids", async () => {
  const policy = policyAt(await serve(() => Response.json(choice({ token_ids: undefined }))));
  const context = await policy.createContext();
  context.append([1]);
  expect(await context.generate(generation(1))).toMatchObject({
    tokenIds: [4, 3],
    behaviorLogProbs: [-1, -2],
    rawLogProbs: [-1, -2],
    stopReason: "stop-token",
  });
});

test.each([
  [{}, /an answer without choices/],
  [
    choice({ token_ids: undefined, logprobs: { tokens: ["a", "b"] } }),
    /tokens as text, such as "a"/,
  ],
  [choice({ logprobs: null }), /no log-probs/],
  [choice({ logprobs: { token_logprobs: [-1, null] } }), /not finite numbers of at most 0/],
  [choice({ logprobs: { token_logprobs: [-1] } }), /2 tokens with 1 log-probs/],
  [choice({ token_ids: [4, 5000] }), /sampled token 5000 of a vocabulary of/],
  [choice({ prompt_token_ids: [0, 1] }), /read 2 prompt tokens where 1 were sent/],
])("an answer that cannot be trained on is refused: %#", async (answer, message) => {
  const policy = policyAt(await serve(() => Response.json(answer)));
  const context = await policy.createContext();
  context.append([1]);
  await expect(context.generate(generation(1))).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    retryable: false,
    message: expect.stringMatching(message),
  });
  expect(context.tokenIds).toEqual([1]);
});

test("a server that is busy, slow or gone is asked again and is then a retryable error", async () => {
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  const sample = async (origin: string, options: Partial<ServedPolicyOptions>) => {
    const context = await policyAt(origin, { sleep, ...options }).createContext();
    context.append([1]);
    return context.generate(generation(1));
  };
  let asked = 0;
  const busy = await serve(() => {
    asked += 1;
    return asked < 3 ? new Response("busy", { status: 503 }) : Response.json(choice({}));
  });
  expect((await sample(busy, {})).tokenIds).toEqual([4, 3]);
  expect(waits).toEqual([500, 1000]);
  await expect(sample("http://127.0.0.1:9", { retries: 1 })).rejects.toMatchObject({
    code: "NETWORK",
    retryable: true,
  });
  const silent = await serve(() => new Promise<Response>(() => {}));
  await expect(sample(silent, { retries: 0, timeoutMs: 50 })).rejects.toMatchObject({
    code: "TIMEOUT",
    retryable: true,
  });
  const cut = await serve(() => Response.json(choice({ finish_reason: "abort" })));
  await expect(sample(cut, { retries: 0 })).rejects.toMatchObject({ retryable: true });
});

test("a server that takes no adapters is told how to be started", async () => {
  const origin = await serve(createCompletionsHandler(model, { model: "tiny" }));
  await expect(policyAt(origin).setAdapter(1, tinyAdapter(5))).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringMatching(/VLLM_ALLOW_RUNTIME_LORA_UPDATING=True/),
  });
});

test("what is no inference server is said to be none", async () => {
  await expect(findServer(await serve(() => Response.json({ hello: 1 })))).rejects.toThrow(
    /lists no model; the server must be vLLM, SGLang/,
  );
  await expect(findServer("http://127.0.0.1:9")).rejects.toThrow(
    /no server answers at .*:9\/v1\/models/,
  );
  await expect(
    findServer(await serve(() => new Response("no", { status: 401 }))),
  ).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
});

test("the handler answers what it does not know as OpenAI's servers do", async () => {
  const origin = await vllm();
  const post = (path: string, body: unknown) =>
    fetch(`${origin}${path}`, { method: "POST", body: JSON.stringify(body) });
  expect((await post("/v1/chat", {})).status).toBe(404);
  for (const body of [[], { prompt: "text" }, { prompt: [1], model: "other" }]) {
    const answer = await post("/v1/completions", body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } });
  }
  expect((await post("/v1/unload_lora_adapter", { lora_name: "x" })).status).toBeGreaterThanOrEqual(
    400,
  );
});
