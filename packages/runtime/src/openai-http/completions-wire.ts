/**
 * Token-level completions of an inference server: what is asked, and what is read from the answer. Two wires
 * give token ids with the log-probs of the sampled tokens; others do not, and cannot be trained on.
 *
 * Source: vLLM's `POST /v1/completions` (`vllm/entrypoints/openai/completion/protocol.py`: `prompt` as ids,
 * `return_token_ids`, `return_tokens_as_token_ids`; log-probs are those before any change of the logits,
 * `--logprobs-mode raw_logprobs`); SGLang's `POST /generate` (`python/sglang/srt/managers/io_struct.py`,
 * `GenerateReqInput`: `input_ids`, `return_logprob`, `lora_path`).
 */
import { isObject, WaggleError } from "@waggle/protocol";

export type CompletionsApi = "openai" | "sglang";

type CompletionAsked = {
  /** Name of the model, or of an adapter that the server has loaded. */
  readonly model: string;
  /** Whether `model` is an adapter. */
  readonly isAdapter: boolean;
  readonly tokenIds: readonly number[];
  readonly maxTokens: number;
  readonly stopTokenIds: readonly number[];
  readonly seed: number;
};

type CompletionRead = {
  readonly tokenIds: readonly number[];
  /** `[T]` log π of each token at temperature 1 over the full vocabulary, nats. */
  readonly logProbs: readonly number[];
  /** What the server says that it read; `null` where it does not say. */
  readonly promptTokenIds: readonly number[] | null;
};

export type CompletionsWire = {
  readonly path: string;
  readonly body: (asked: CompletionAsked) => object;
  /** @throws WaggleError `CAPABILITY_MISSING` for an answer without ids or without log-probs. */
  readonly read: (answer: unknown) => CompletionRead;
  readonly loadAdapter: { readonly path: string };
  readonly unloadAdapter: { readonly path: string };
};

/** Every parameter is sent: servers take defaults from the model's generation_config.json. */
const OPENAI: CompletionsWire = {
  path: "/v1/completions",
  body: ({ model, tokenIds, maxTokens, stopTokenIds, seed }) => ({
    model,
    prompt: tokenIds,
    max_tokens: maxTokens,
    n: 1,
    seed,
    temperature: 1,
    top_p: 1,
    top_k: 0,
    min_p: 0,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    stop_token_ids: stopTokenIds,
    ignore_eos: true,
    skip_special_tokens: false,
    add_special_tokens: false,
    logprobs: 1,
    return_token_ids: true,
    return_tokens_as_token_ids: true,
  }),
  read: (answer) => {
    const choices = isObject(answer) ? answer["choices"] : undefined;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (!isObject(choice)) throw unreadable("an answer without choices");
    requireEnd(choice["finish_reason"]);
    const logprobs = isObject(choice["logprobs"]) ? choice["logprobs"] : {};
    return {
      tokenIds: integers(choice["token_ids"]) ?? idsOf(logprobs["tokens"]),
      logProbs: numbers(logprobs["token_logprobs"]),
      promptTokenIds: integers(choice["prompt_token_ids"]),
    };
  },
  loadAdapter: { path: "/v1/load_lora_adapter" },
  unloadAdapter: { path: "/v1/unload_lora_adapter" },
};

/** Its ids stand in the log-probs: `[logprob, id, text]` for each token. */
const SGLANG: CompletionsWire = {
  path: "/generate",
  body: ({ model, isAdapter, tokenIds, maxTokens, stopTokenIds, seed }) => ({
    input_ids: tokenIds,
    sampling_params: {
      max_new_tokens: maxTokens,
      temperature: 1,
      top_p: 1,
      top_k: -1,
      min_p: 0,
      repetition_penalty: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      stop_token_ids: stopTokenIds,
      skip_special_tokens: false,
      no_stop_trim: true,
      sampling_seed: seed,
    },
    return_logprob: true,
    ...(isAdapter ? { lora_path: model } : {}),
  }),
  read: (answer) => {
    const about = isObject(answer) ? answer["meta_info"] : undefined;
    if (!isObject(about)) throw unreadable("an answer without meta_info");
    const finish = about["finish_reason"];
    requireEnd(isObject(finish) ? finish["type"] : finish);
    const rows = about["output_token_logprobs"];
    if (!Array.isArray(rows)) throw unreadable("no output_token_logprobs");
    const pairs = rows.map((row: unknown) => (Array.isArray(row) ? (row as unknown[]) : []));
    return {
      tokenIds: integers(pairs.map(([, id]) => id)) ?? [],
      logProbs: numbers(pairs.map(([logProb]) => logProb)),
      promptTokenIds: null,
    };
  },
  loadAdapter: { path: "/load_lora_adapter" },
  unloadAdapter: { path: "/unload_lora_adapter" },
};

export function completionsWire(api: CompletionsApi): CompletionsWire {
  return api === "openai" ? OPENAI : SGLANG;
}

/** A generation that the server gave up is none. */
function requireEnd(reason: unknown): void {
  if (reason === "stop" || reason === "length") return;
  throw new WaggleError(
    "NETWORK",
    `the server ended a generation with "${String(reason).slice(0, 40)}"; it must end with stop or length`,
    { retryable: true },
  );
}

function integers(value: unknown): readonly number[] | null {
  if (!Array.isArray(value)) return null;
  return value.every((one) => Number.isInteger(one)) ? (value as number[]) : null;
}

function idsOf(tokens: unknown): readonly number[] {
  if (!Array.isArray(tokens)) throw unreadable("neither token_ids nor logprobs.tokens");
  return tokens.map((token: unknown) => {
    const [, id] = /^token_id:(\d+)$/.exec(String(token)) ?? [];
    if (id === undefined) throw unreadable(`tokens as text, such as ${JSON.stringify(token)}`);
    return Number(id);
  });
}

function numbers(value: unknown): readonly number[] {
  if (!Array.isArray(value)) throw unreadable("no log-probs");
  if (value.every((one) => typeof one === "number" && Number.isFinite(one) && one <= 1e-6)) {
    return value.map((one: number) => Math.min(0, one));
  }
  throw unreadable("log-probs that are not finite numbers of at most 0");
}

function unreadable(what: string): WaggleError {
  return new WaggleError(
    "CAPABILITY_MISSING",
    `the server answered with ${what}; training needs token ids and the log-prob of each sampled token. vLLM 0.10.2 or newer and SGLang send them`,
  );
}
