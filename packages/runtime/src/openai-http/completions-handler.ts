/**
 * A policy as a server of token-level completions: the routes of vLLM that training needs, for any server that
 * speaks `Request`. A machine with a fast graph can so sample for another that trains. Tokens only: it has no
 * tokenizer, and `text` is empty.
 */
import type { Adapter } from "@waggle/model";
import { FULL_SUPPORT, isObject, type Sample, WaggleError } from "@waggle/protocol";
import type { AdaptivePolicy } from "../session/session.ts";
import { bodyOf, refusal } from "./http-answers.ts";
import { statusOf } from "./http-errors.ts";

export type CompletionsHandlerOptions = {
  /** Name of the base model. */
  readonly model: string;
  /** Reads an adapter in PEFT's layout. Absent = it takes none. */
  readonly readAdapter?: (path: string) => Promise<Adapter>;
};

type Fields = { readonly [name: string]: unknown };

/** Answers the routes below `/v1`. It has no authentication; put it behind a server that does. */
export function createCompletionsHandler(
  policy: AdaptivePolicy,
  { model, readAdapter }: CompletionsHandlerOptions,
): (request: Request) => Promise<Response> {
  const adapters = new Set<string>();

  async function complete(body: Fields, signal: AbortSignal): Promise<object> {
    const name = textOf(body["model"] ?? model, "model");
    const session = await policy.createContext();
    try {
      if (adapters.has(name)) session.activate(name);
      else if (name !== model) throw new WaggleError("NOT_FOUND", `there is no model ${name}`);
      const prompt = idsOf(body["prompt"], "prompt");
      session.append(prompt);
      const sample = await session.generate({
        sampling: {
          temperature: numberOf(body["temperature"], FULL_SUPPORT.temperature),
          topK: Math.max(0, numberOf(body["top_k"], FULL_SUPPORT.topK)),
          topP: numberOf(body["top_p"], FULL_SUPPORT.topP),
          seed: numberOf(body["seed"], crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) >>> 0,
        },
        stopTokenIds: idsOf(body["stop_token_ids"] ?? [], "stop_token_ids"),
        maxTokens: Math.min(
          numberOf(body["max_tokens"], 16),
          Math.max(1, policy.contextLength - prompt.length),
        ),
        signal,
      });
      return completionOf(name, prompt, sample);
    } finally {
      session.dispose();
    }
  }

  async function load(body: Fields): Promise<string> {
    const [name, path] = [
      textOf(body["lora_name"], "lora_name"),
      textOf(body["lora_path"], "lora_path"),
    ];
    if (readAdapter === undefined) {
      throw new WaggleError("CAPABILITY_MISSING", "this server takes no adapters");
    }
    if (adapters.has(name)) throw new WaggleError("INVALID_ARGUMENT", `${name} is loaded`);
    await policy.loadAdapter(name, await readAdapter(path));
    adapters.add(name);
    return `loaded ${name}`;
  }

  async function unload(body: Fields): Promise<string> {
    const name = textOf(body["lora_name"], "lora_name");
    if (!adapters.delete(name)) throw new WaggleError("NOT_FOUND", `there is no adapter ${name}`);
    await policy.unloadAdapter(name);
    return `unloaded ${name}`;
  }

  const models = (): object => ({
    object: "list",
    data: [
      { id: model, object: "model", owned_by: "waggle", max_model_len: policy.contextLength },
      ...[...adapters].map((id) => ({ id, object: "model", owned_by: "waggle", parent: model })),
    ],
  });

  return async (request) => {
    const { pathname } = new URL(request.url);
    try {
      if (pathname === "/v1/models") return Response.json(models());
      const route = {
        "/v1/completions": complete,
        "/v1/load_lora_adapter": load,
        "/v1/unload_lora_adapter": unload,
      }[pathname];
      if (route === undefined) throw new WaggleError("NOT_FOUND", `there is no route ${pathname}`);
      const body: unknown = await bodyOf(request);
      if (!isObject(body)) throw new WaggleError("INVALID_ARGUMENT", "a request must be an object");
      return Response.json(await route(body, request.signal));
    } catch (error) {
      return refusal(statusOf(error), error);
    }
  };
}

/** As vLLM's with `return_token_ids` and `return_tokens_as_token_ids`; log-probs are the raw ones. */
function completionOf(model: string, prompt: readonly number[], sample: Sample): object {
  const { tokenIds, rawLogProbs, stopReason } = sample;
  const isStopped = stopReason === "stop-token";
  const choice = {
    index: 0,
    text: "",
    logprobs: {
      tokens: tokenIds.map((id) => `token_id:${id}`),
      token_logprobs: rawLogProbs,
    },
    finish_reason: isStopped ? "stop" : stopReason === "aborted" ? "abort" : "length",
    stop_reason: isStopped ? tokenIds.at(-1) : null,
    token_ids: tokenIds,
    prompt_token_ids: prompt,
  };
  return {
    id: `cmpl-${crypto.randomUUID()}`,
    object: "text_completion",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [choice],
    usage: {
      prompt_tokens: prompt.length,
      completion_tokens: tokenIds.length,
      total_tokens: prompt.length + tokenIds.length,
    },
  };
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw new WaggleError("INVALID_ARGUMENT", `${name} must be a string`);
}

function idsOf(value: unknown, name: string): readonly number[] {
  if (Array.isArray(value) && value.every((id) => Number.isInteger(id) && id >= 0)) {
    return value as number[];
  }
  throw new WaggleError("INVALID_ARGUMENT", `${name} must be an array of token ids`);
}

function numberOf(value: unknown, byDefault: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : byDefault;
}
