/**
 * The Policy of a page: a worker runs the model and the sampling loop, so the page stays responsive
 * and one message per generation crosses. Nothing here computes.
 */
import type { Adapter } from "@waggle/model";
import type {
  ClientDescription,
  PolicyContext,
  PolicyVersionId,
  Sample,
  GenerateOptions,
  ScoreRequest,
  TokenScores,
} from "@waggle/protocol";
import { chooseDevice } from "./browser-device.ts";
import { RUNTIME_BUILD } from "./build.ts";
import type { AdaptivePolicy } from "./decoder-policy.ts";
import { defaultThreads } from "./limits.ts";
import type { AdapterStrategy } from "./ort-session.ts";
import { assertGenerateOptions, disposedError, overlapError } from "./generate-options.ts";
import { assertTokenIds } from "./token-ids.ts";
import { WorkerClient } from "./worker-client.ts";
import type { WorkerHandle } from "./worker-client.ts";
import type { BrowserDevice } from "./worker/messages.ts";

export type BrowserPolicyOptions = {
  /** Bytes of `config.json` and `model.safetensors` (or its index and shards) by path. Copied. */
  readonly modelFiles: ReadonlyMap<string, Uint8Array>;
  /** Hex sha256 of the model's file list. */
  readonly baseModel: string;
  /** Default `auto`: WebGPU where there is a hardware adapter, else WASM. */
  readonly device?: "auto" | BrowserDevice;
  /**
   * WASM threads; one without cross-origin isolation. Default: one for small models, else half of
   * the machine's, at most 4.
   */
  readonly threads?: number;
  /** Most tokens of one context. Default: the model's, at most 8192. */
  readonly contextLength?: number;
  /** Most tokens of one run in prefill and scoring. Default: what is right and fits the device. */
  readonly maxRunTokens?: number;
  /** Default: `inputs` on WebGPU, `merge` on WASM. */
  readonly adapterStrategy?: AdapterStrategy;
  /** With `inputs`: adapters up to this rank share one graph. Default 16. */
  readonly adapterRank?: number;
  /** Makes the worker, where a bundler cannot follow the default. */
  readonly createWorker?: (device: BrowserDevice) => WorkerHandle;
};

/**
 * Starts a worker and loads the model into it, at version 0.
 *
 * @throws WaggleError `DEVICE_UNAVAILABLE` when `webgpu` is asked for and there is no adapter,
 *   `MODEL_CORRUPT` or `MODEL_UNSUPPORTED` for files that are no such decoder.
 */
export async function createBrowserPolicy(options: BrowserPolicyOptions): Promise<AdaptivePolicy> {
  const { device, description, threads } = await chooseDevice(
    options.device ?? "auto",
    (offered) => options.threads ?? defaultThreads(bytesOf(options.modelFiles), offered),
    globalThis,
  );
  const worker = new WorkerClient((options.createWorker ?? createDefaultWorker)(device));
  try {
    const opened = await worker.ask({
      kind: "open",
      files: options.modelFiles,
      baseModel: options.baseModel,
      threads,
      contextLength: options.contextLength ?? null,
      maxRunTokens: options.maxRunTokens ?? null,
      adapterStrategy: options.adapterStrategy ?? null,
      adapterRank: options.adapterRank ?? 16,
    });
    return new BrowserPolicy(worker, {
      baseModel: options.baseModel,
      client: {
        build: RUNTIME_BUILD,
        backend: device,
        device: description,
        crossOriginIsolated: globalThis.crossOriginIsolated,
      },
      ...opened,
    });
  } catch (error) {
    worker.fail(disposedError());
    throw error;
  }
}

/** Size of the weights. Half-precision files count half; the threshold is not that sharp. */
function bytesOf(files: ReadonlyMap<string, Uint8Array>): number {
  let sum = 0;
  for (const [path, bytes] of files) if (path.endsWith(".safetensors")) sum += bytes.length;
  return sum;
}

/** The literal forms are what bundlers look for; `.js` is found as `.ts` when run from source. */
function createDefaultWorker(device: BrowserDevice): WorkerHandle {
  return device === "webgpu"
    ? new Worker(new URL("./worker/webgpu.js", import.meta.url), { type: "module" })
    : new Worker(new URL("./worker/wasm.js", import.meta.url), { type: "module" });
}

type Facts = Pick<AdaptivePolicy, "baseModel" | "client" | "contextLength" | "vocabularySize">;

class BrowserPolicy implements AdaptivePolicy {
  readonly baseModel: string;
  readonly client: ClientDescription;
  readonly contextLength: number;
  readonly vocabularySize: number;
  readonly #worker: WorkerClient;
  #currentVersion: PolicyVersionId = 0;
  #isDisposed = false;

  constructor(worker: WorkerClient, facts: Facts) {
    this.#worker = worker;
    this.baseModel = facts.baseModel;
    this.client = facts.client;
    this.contextLength = facts.contextLength;
    this.vocabularySize = facts.vocabularySize;
  }

  get currentVersion(): PolicyVersionId {
    return this.#currentVersion;
  }

  async createContext(): Promise<PolicyContext> {
    this.#assertUsable();
    const { contextId, policyVersion } = await this.#worker.ask({ kind: "create-context" });
    return new BrowserContext(this.#worker, this, contextId, policyVersion);
  }

  async setAdapter(version: PolicyVersionId, adapter: Adapter | null): Promise<void> {
    this.#assertUsable();
    await this.#worker.ask({ kind: "set-adapter", version, adapter });
    this.#currentVersion = version;
  }

  async score(request: ScoreRequest): Promise<TokenScores> {
    const [scores] = await this.scoreMany([request]);
    return scores as TokenScores;
  }

  async scoreMany(requests: readonly ScoreRequest[]): Promise<TokenScores[]> {
    this.#assertUsable();
    return [...(await this.#worker.ask({ kind: "score-many", requests }))];
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    await this.#worker.ask({ kind: "dispose" }).catch(() => undefined);
    this.#worker.fail(disposedError());
  }

  #assertUsable(): void {
    if (this.#isDisposed) throw disposedError();
  }
}

const EMPTY_ABORTED: Sample = {
  tokenIds: [],
  behaviorLogProbs: [],
  rawLogProbs: [],
  entropies: [],
  stopReason: "aborted",
};

class BrowserContext implements PolicyContext {
  readonly #worker: WorkerClient;
  readonly #policy: Pick<AdaptivePolicy, "currentVersion" | "vocabularySize">;
  readonly #contextId: number;
  readonly #tokenIds: number[] = [];
  #policyVersion: PolicyVersionId;
  #isSampling = false;
  #isDisposed = false;

  constructor(
    worker: WorkerClient,
    policy: Pick<AdaptivePolicy, "currentVersion" | "vocabularySize">,
    contextId: number,
    policyVersion: PolicyVersionId,
  ) {
    this.#worker = worker;
    this.#policy = policy;
    this.#contextId = contextId;
    this.#policyVersion = policyVersion;
  }

  get policyVersion(): PolicyVersionId {
    return this.#policyVersion;
  }

  get tokenIds(): readonly number[] {
    return this.#tokenIds;
  }

  append(tokenIds: readonly number[]): void {
    this.#assertUsable();
    assertTokenIds(tokenIds, this.#policy.vocabularySize);
    for (const id of tokenIds) this.#tokenIds.push(id);
    this.#worker.tell({ kind: "append", contextId: this.#contextId, tokenIds: [...tokenIds] });
  }

  async generate(options: GenerateOptions): Promise<Sample> {
    this.#assertUsable();
    assertGenerateOptions(options, this.#tokenIds.length);
    const { sampling, stopTokenIds, maxTokens, signal, onToken } = options;
    if (signal?.aborted) return EMPTY_ABORTED;
    const contextId = this.#contextId;
    const abort = (): void => this.#worker.tell({ kind: "abort", contextId });
    this.#isSampling = true;
    try {
      const answer = this.#worker.ask(
        {
          kind: "generate",
          contextId,
          options: { sampling, stopTokenIds: [...stopTokenIds], maxTokens },
          wantsTokens: onToken !== undefined,
        },
        onToken,
      );
      signal?.addEventListener("abort", abort, { once: true });
      const { sample, policyVersion } = await answer;
      // An adoption may have met a swap that the page had not heard of; the worker knows.
      this.#policyVersion = policyVersion;
      for (const id of sample.tokenIds) this.#tokenIds.push(id);
      return sample;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#isSampling = false;
    }
  }

  adoptCurrentVersion(): void {
    this.#assertUsable();
    this.#policyVersion = this.#policy.currentVersion;
    this.#worker.tell({ kind: "adopt", contextId: this.#contextId });
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#worker.tell({ kind: "dispose-context", contextId: this.#contextId });
  }

  #assertUsable(): void {
    if (this.#isDisposed) throw disposedError();
    if (this.#isSampling) throw overlapError();
  }
}
