/**
 * A policy whose model runs on an inference server: vLLM behind OpenAI's completions route, or SGLang. Tokens
 * in, tokens out; the chat template stays here. It samples at temperature 1 with full support only, where the
 * log-probs that servers report are those of the distribution that was sampled. Entropies are NaN: servers
 * do not send them.
 */
import type { Adapter } from "@waggle/model";
import type {
  ClientDescription,
  GenerateOptions,
  Policy,
  PolicyContext,
  PolicyVersionId,
  Sample,
  TokenScores,
} from "@waggle/protocol";
import { WAGGLE_VERSION, WaggleError } from "@waggle/protocol";
import { assertGenerateOptions, disposedError, overlapError } from "../generate-options.ts";
import { type CompletionsApi, type CompletionsWire, completionsWire } from "./completions-wire.ts";
import { postJson, type PostOptions } from "./post-json.ts";

export type ServedPolicyOptions = PostOptions & {
  /** Origin of the server, such as `http://gpu:8000`. */
  readonly origin: string;
  readonly api: CompletionsApi;
  /** Name of the base model at the server. */
  readonly model: string;
  /** Content hash of the base model, which the trainer has too. */
  readonly baseModel: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  /**
   * Stores an adapter where the server can read it.
   *
   * @returns its path as the server sees it.
   */
  readonly storeAdapter: (name: string, adapter: Adapter) => Promise<string>;
};

export type ServedPolicy = Policy & {
  readonly client: ClientDescription;
  /** Loads the adapter at the server. Contexts that exist keep theirs until they adopt. */
  setAdapter(version: PolicyVersionId, adapter: Adapter | null): Promise<void>;
};

/** A version at the server. The base model has no adapter and is never unloaded. */
type Loaded = { readonly name: string; readonly isAdapter: boolean; users: number };

export function createServedPolicy(options: ServedPolicyOptions): ServedPolicy {
  return new RemotePolicy(options);
}

class RemotePolicy implements ServedPolicy {
  readonly baseModel: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  readonly client: ClientDescription;
  readonly #options: ServedPolicyOptions;
  readonly #wire: CompletionsWire;
  readonly #closing = new AbortController();
  /** Names of adapters are never used twice, as servers keep what they read under a name. */
  readonly #prefix = `waggle-${crypto.randomUUID().slice(0, 8)}`;
  #count = 0;
  #current: { version: PolicyVersionId; adapter: Adapter | null; loaded: Loaded };

  constructor(options: ServedPolicyOptions) {
    this.#options = options;
    this.#wire = completionsWire(options.api);
    this.baseModel = options.baseModel;
    this.contextLength = options.contextLength;
    this.vocabularySize = options.vocabularySize;
    this.client = {
      build: WAGGLE_VERSION,
      backend: "server",
      device: `${options.api} ${new URL(options.origin).host}`.slice(0, 120),
      crossOriginIsolated: false,
    };
    const loaded = { name: options.model, isAdapter: false, users: 1 };
    this.#current = { version: 0, adapter: null, loaded };
  }

  get currentVersion(): PolicyVersionId {
    return this.#current.version;
  }

  async setAdapter(version: PolicyVersionId, adapter: Adapter | null): Promise<void> {
    if (this.#closing.signal.aborted) throw disposedError();
    const before = this.#current;
    if (isSame(before.adapter, adapter)) {
      this.#current = { ...before, version };
      return;
    }
    const loaded =
      adapter === null
        ? { name: this.#options.model, isAdapter: false, users: 1 }
        : await this.#load(adapter);
    this.#current = { version, adapter, loaded };
    await this.release(before.loaded);
  }

  createContext(): Promise<PolicyContext> {
    if (this.#closing.signal.aborted) return Promise.reject(disposedError());
    return Promise.resolve(new RemoteContext(this));
  }

  score(): Promise<TokenScores> {
    return Promise.reject(
      new WaggleError(
        "CAPABILITY_MISSING",
        "a served policy does not score; score with the engine that trains it",
      ),
    );
  }

  async dispose(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    await this.release(this.#current.loaded);
    this.#closing.abort(disposedError());
  }

  /** The version that a context samples from; it stays at the server until it is released. */
  hold(): { readonly version: PolicyVersionId; readonly loaded: Loaded } {
    this.#current.loaded.users += 1;
    return this.#current;
  }

  async release(loaded: Loaded): Promise<void> {
    loaded.users -= 1;
    if (loaded.users > 0 || !loaded.isAdapter) return;
    // What cannot be unloaded only takes room; the server drops the oldest itself.
    await this.#post(this.#wire.unloadAdapter.path, { lora_name: loaded.name }, undefined).catch(
      () => {},
    );
  }

  async sample(loaded: Loaded, tokenIds: readonly number[], options: GenerateOptions) {
    const { sampling, stopTokenIds, maxTokens, signal } = options;
    const { name: model, isAdapter } = loaded;
    const { seed } = sampling;
    const asked = { model, isAdapter, tokenIds, maxTokens, stopTokenIds, seed };
    const answer = await this.#post(this.#wire.path, this.#wire.body(asked), signal);
    const read = this.#wire.read(answer);
    requireSame(tokenIds, read.promptTokenIds);
    requireSample(read.tokenIds, read.logProbs, this.vocabularySize);
    return read;
  }

  async #load(adapter: Adapter): Promise<Loaded> {
    this.#count += 1;
    const name = `${this.#prefix}-${this.#count}`;
    const path = await this.#options.storeAdapter(name, adapter);
    try {
      await this.#post(
        this.#wire.loadAdapter.path,
        { lora_name: name, lora_path: path },
        undefined,
      );
    } catch (cause) {
      if (!WaggleError.is(cause) || cause.retryable) throw cause;
      throw new WaggleError(
        "CAPABILITY_MISSING",
        `the server did not load the adapter in ${path}: ${cause.message}. It must see that folder, and take adapters while it runs: vLLM with --enable-lora, --max-lora-rank and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, SGLang with --enable-lora, --max-lora-rank and --lora-target-modules`,
        { cause },
      );
    }
    return { name, isAdapter: true, users: 1 };
  }

  #post(path: string, body: object, signal: AbortSignal | undefined): Promise<unknown> {
    const closing = this.#closing.signal;
    return postJson(`${this.#options.origin.replace(/\/+$/, "")}${path}`, body, {
      ...this.#options,
      signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
    });
  }
}

class RemoteContext implements PolicyContext {
  readonly #policy: RemotePolicy;
  readonly #tokenIds: number[] = [];
  #held: ReturnType<RemotePolicy["hold"]>;
  #isBusy = false;
  #isDisposed = false;

  constructor(policy: RemotePolicy) {
    this.#policy = policy;
    this.#held = policy.hold();
  }

  get policyVersion(): PolicyVersionId {
    return this.#held.version;
  }

  get tokenIds(): readonly number[] {
    return this.#tokenIds;
  }

  append(tokenIds: readonly number[]): void {
    this.#requireIdle();
    this.#tokenIds.push(...tokenIds);
  }

  async generate(options: GenerateOptions): Promise<Sample> {
    this.#requireIdle();
    assertGenerateOptions(options, this.#tokenIds.length);
    requirePlain(options);
    const room = this.#policy.contextLength - this.#tokenIds.length;
    if (room < 1) return sampleOf([], [], "context-overflow");
    const maxTokens = Math.min(options.maxTokens, room);
    this.#isBusy = true;
    try {
      const asked = { ...options, maxTokens };
      const read = await this.#policy.sample(this.#held.loaded, this.#tokenIds, asked);
      const last = read.tokenIds.at(-1);
      const ended = last !== undefined && options.stopTokenIds.includes(last);
      for (const tokenId of read.tokenIds) options.onToken?.(tokenId);
      this.#tokenIds.push(...read.tokenIds);
      const whole = maxTokens < options.maxTokens ? "context-overflow" : "max-tokens";
      return sampleOf(read.tokenIds, read.logProbs, ended ? "stop-token" : whole);
    } catch (error) {
      if (options.signal?.aborted === true) return sampleOf([], [], "aborted");
      throw error;
    } finally {
      this.#isBusy = false;
    }
  }

  adoptCurrentVersion(): void {
    this.#requireIdle();
    const before = this.#held.loaded;
    this.#held = this.#policy.hold();
    void this.#policy.release(before);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    void this.#policy.release(this.#held.loaded);
  }

  #requireIdle(): void {
    if (this.#isDisposed) throw disposedError();
    if (this.#isBusy) throw overlapError();
  }
}

function sampleOf(
  tokenIds: readonly number[],
  logProbs: readonly number[],
  stopReason: Sample["stopReason"],
): Sample {
  const entropies = tokenIds.map(() => Number.NaN);
  return { tokenIds, behaviorLogProbs: logProbs, rawLogProbs: logProbs, entropies, stopReason };
}

/** @throws WaggleError `CAPABILITY_MISSING` for sampling whose distribution a server does not report. */
function requirePlain({ sampling, grammar }: GenerateOptions): void {
  const { temperature, topK, topP } = sampling;
  if (grammar === undefined && temperature === 1 && topK === 0 && topP === 1) return;
  const asked = grammar === undefined ? JSON.stringify({ temperature, topK, topP }) : "a grammar";
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `a sampling server supports only temperature 1 without top-k, top-p or grammar; the recipe asked for ${asked}. Change the recipe's sampling, or sample on this machine`,
  );
}

function requireSame(asked: readonly number[], read: readonly number[] | null): void {
  if (read === null) return;
  if (read.length === asked.length && read.every((id, i) => id === asked[i])) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `the server read ${read.length} prompt tokens where ${asked.length} were sent; it must not add or cut tokens`,
  );
}

function requireSample(
  tokenIds: readonly number[],
  logProbs: readonly number[],
  vocabularySize: number,
): void {
  const strange = tokenIds.find((id) => id < 0 || id >= vocabularySize);
  if (tokenIds.length > 0 && tokenIds.length === logProbs.length && strange === undefined) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    strange === undefined
      ? `the server sent ${tokenIds.length} tokens with ${logProbs.length} log-probs; every sampled token needs one`
      : `the server sampled token ${strange} of a vocabulary of ${vocabularySize}; it must serve the same model`,
  );
}

/** Versions that differ in their number alone need no second copy at the server. */
function isSame(a: Adapter | null, b: Adapter | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.rank !== b.rank || a.alpha !== b.alpha || a.tensors.size !== b.tensors.size) return false;
  return [...a.tensors].every(([name, { data }]) => {
    const other = b.tensors.get(name)?.data;
    return other?.length === data.length && data.every((value, i) => value === other[i]);
  });
}
