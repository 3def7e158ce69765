/**
 * The Policy of a page. A worker runs the model and samples, so that the page stays responsive and
 * one message is sent per generation.
 */
import type { Adapter, WeightFormat } from "@waggle/model";
import { WAGGLE_VERSION, WaggleError } from "@waggle/protocol";
import type {
  ClientDescription,
  PolicyVersionId,
  ScoreRequest,
  TokenScores,
} from "@waggle/protocol";
import type { AdapterStrategy } from "./backend/cpu/cpu-backend.ts";
import { chooseDevice } from "./browser-device.ts";
import { createDefaultWorker } from "./default-worker.ts";
import { BrowserSession } from "./browser-session.ts";
import { disposedError } from "./generate-options.ts";
import { readChecks, writeCheck } from "./device-checks.ts";
import { defaultThreads } from "./limits.ts";
import { PolicyWorker } from "./policy-worker.ts";
import type { AdaptivePolicy, Cancellable, Session, SessionSnapshot } from "./session/session.ts";
import { WorkerClient } from "./worker-client.ts";
import type { WorkerHandle } from "./worker-client.ts";
import type {
  AnswerTo,
  BrowserDevice,
  ModelFiles,
  OpenRequest,
  PublishedAdapter,
} from "./worker/messages.ts";

/** Options of `createBrowserPolicy`. */
export type BrowserPolicyOptions = {
  /**
   * Either a model from `loadModel`, whose weights the worker reads in pieces from the browser's storage. Or bytes by
   * path, which are copied, so this is for small models: `config.json`, `model.safetensors` (or its index and shards)
   * and, for grammars, the tokenizer's files.
   */
  readonly modelFiles: ModelFiles;
  /** Hex sha256 of the model's file list. */
  readonly baseModel: string;
  /** Default `auto`: WebGPU if there is a hardware adapter, otherwise WASM. */
  readonly device?: "auto" | BrowserDevice;
  /**
   * WASM threads; always one without cross-origin isolation. Default: one for small models,
   * otherwise half of the machine's, at most 4.
   */
  readonly threads?: number;
  /**
   * Number format of the matrices. Default: the stored format, `f32` for plain numbers. `f16` is
   * computed in `f32` on devices without f16, which includes all CPUs.
   */
  readonly dtype?: WeightFormat;
  /** Maximum tokens of one session. Default: the model's positions, at most 8192. */
  readonly contextLength?: number;
  /**
   * Maximum tokens of one run in prefill and scoring. Default: what is correct and fits the device.
   */
  readonly maxRunTokens?: number;
  /**
   * For onnxruntime on WASM; `merge` also chooses it for models that would run on Waggle's own kernels. Default `merge` for
   * float32 weights that the page gives as bytes, and for those of up to 16 M parameters that the worker reads from storage;
   * otherwise `inputs`. WebGPU writes adapters into bound buffers.
   */
  readonly adapterStrategy?: AdapterStrategy;
  /**
   * For WASM with `inputs`: whether adapters will follow. If so, the base model is opened in the form that takes them,
   * which costs some time per token. If not, the weights are in memory twice while the first adapter opens. Default
   * false.
   */
  readonly startsAdaptable?: boolean;
  /** With `inputs`: adapters up to this rank share one graph. Default 16. */
  readonly adapterRank?: number;
  /**
   * Bytes for keys and values. Beyond that, idle sessions' are dropped and recomputed. Default 1
   * GiB.
   */
  readonly cacheBytes?: number;
  /**
   * Tokens that end a turn under a grammar. Default: those of the model's chat format, whose code the worker then
   * downloads with its first grammar.
   */
  readonly stopTokenIds?: readonly number[];
  /** Creates the worker where a bundler cannot follow the default; called again when one dies. */
  readonly createWorker?: (device: BrowserDevice) => WorkerHandle;
};

/** The policy of a page. */
export interface PagePolicy extends AdaptivePolicy {
  /**
   * As in `AdaptivePolicy`. The worker reads a published adapter, so that the page loads no code for that.
   *
   * @throws WaggleError as in `AdaptivePolicy`, and `MODEL_CORRUPT` for bytes that are not an adapter.
   */
  setAdapter(version: PolicyVersionId, adapter: Adapter | PublishedAdapter | null): Promise<void>;
}

/**
 * Starts a worker and loads the model into it, at version 0. A worker that dies is replaced, and its
 * current work is repeated from the page's record of tokens.
 *
 * Before a device is first used, a check finds out whether it computes correctly. If not, a
 * workaround is used or the device is refused; `auto` then uses WASM.
 *
 * @throws WaggleError `DEVICE_UNAVAILABLE` if `webgpu` is requested and there is no adapter or it
 *   computes wrongly, `INVALID_ARGUMENT` for a context beyond the model's positions,
 *   `MODEL_CORRUPT` or `MODEL_UNSUPPORTED` for files that are not a supported decoder.
 */
export async function createBrowserPolicy(options: BrowserPolicyOptions): Promise<PagePolicy> {
  const wanted = options.device ?? "auto";
  const policy = await openOn(wanted, options).catch((error: unknown) => {
    // Without the files for WebGPU, WASM may still work.
    if (wanted === "auto" && WaggleError.is(error, "DEVICE_UNAVAILABLE")) return error.message;
    throw error;
  });
  if (typeof policy !== "string") return policy;
  if (wanted === "auto") {
    const onWasm = await openOn("wasm", options);
    if (typeof onWasm !== "string") return onWasm;
  }
  throw new WaggleError(
    "DEVICE_UNAVAILABLE",
    `device "${wanted}" computes wrongly: ${policy}; use another one`,
  );
}

/** @returns the reason if the check refused the device. */
async function openOn(
  wanted: "auto" | BrowserDevice,
  options: BrowserPolicyOptions,
): Promise<PagePolicy | string> {
  const { device, description, threads } = await chooseDevice(
    wanted,
    (offered) => options.threads ?? defaultThreads(bytesOf(options.modelFiles), offered),
    globalThis,
  );
  const lifeLock = "locks" in navigator ? `waggle-${crypto.randomUUID()}` : null;
  const request: Omit<OpenRequest, "lifeLock" | "knownChecks"> = {
    kind: "open",
    model: "get" in options.modelFiles ? options.modelFiles : { files: options.modelFiles.files },
    baseModel: options.baseModel,
    description,
    threads,
    dtype: options.dtype ?? null,
    contextLength: options.contextLength ?? null,
    maxRunTokens: options.maxRunTokens ?? null,
    adapterStrategy: options.adapterStrategy ?? null,
    startsAdaptable: options.startsAdaptable ?? false,
    adapterRank: options.adapterRank ?? 16,
    cacheBytes: options.cacheBytes ?? null,
    stopTokenIds: options.stopTokenIds ?? null,
  };
  const createWorker = options.createWorker ?? createDefaultWorker;
  let starts = 0;
  const start = async (): Promise<{ client: WorkerClient; opened: AnswerTo<OpenRequest> }> => {
    const client = new WorkerClient(createWorker(device));
    const lock = lifeLock && `${lifeLock}-${++starts}`;
    try {
      const knownChecks = readChecks();
      const opened = await client.ask({ ...request, knownChecks, lifeLock: lock });
      writeCheck(opened.check);
      if (lock !== null) client.watch(lock);
      return { client, opened };
    } catch (error) {
      client.fail(disposedError());
      throw error;
    }
  };
  const { client, opened } = await start();
  const { limits, check } = opened;
  if (limits === null) {
    client.fail(disposedError());
    return check.result.verdict === "refused" ? check.result.why : "nothing";
  }
  const worker = new PolicyWorker(async () => (await start()).client, client);
  return new BrowserPolicy(worker, {
    baseModel: options.baseModel,
    client: {
      build: WAGGLE_VERSION,
      backend: device,
      device: description,
      crossOriginIsolated: globalThis.crossOriginIsolated,
    },
    ...limits,
  });
}

/**
 * Size of the weights. Half-precision files count half, which is precise enough for the threshold.
 */
function bytesOf(model: ModelFiles): number {
  const sizes =
    "get" in model
      ? Array.from(model, ([path, { length }]) => ({ path, sizeBytes: length }))
      : model.files;
  let sum = 0;
  for (const { path, sizeBytes } of sizes) if (path.endsWith(".safetensors")) sum += sizeBytes;
  return sum;
}

type Facts = Pick<AdaptivePolicy, "baseModel" | "client" | "contextLength" | "vocabularySize">;

class BrowserPolicy implements PagePolicy {
  readonly baseModel: string;
  readonly client: ClientDescription;
  readonly contextLength: number;
  readonly vocabularySize: number;
  readonly worker: PolicyWorker;

  constructor(worker: PolicyWorker, facts: Facts) {
    this.worker = worker;
    this.baseModel = facts.baseModel;
    this.client = facts.client;
    this.contextLength = facts.contextLength;
    this.vocabularySize = facts.vocabularySize;
  }

  get currentVersion(): PolicyVersionId {
    return this.worker.current.version;
  }

  async createContext(): Promise<Session> {
    const sessionId = this.worker.newSessionId();
    const { policyVersion } = await this.worker.call((client) =>
      client.ask({ kind: "create-session", sessionId }),
    );
    return new BrowserSession(this, sessionId, [], this.worker.versionOf(policyVersion));
  }

  async restore(snapshot: SessionSnapshot, { signal }: Cancellable = {}): Promise<Session> {
    signal?.throwIfAborted();
    const sessionId = this.worker.newSessionId();
    const { policyVersion } = await this.worker.call((client) =>
      client.ask({ kind: "restore-session", sessionId, snapshot }, { signal }),
    );
    const { tokenIds, adapterId, adapterScale: scale } = snapshot;
    const version = this.worker.versionOf(policyVersion);
    return new BrowserSession(this, sessionId, tokenIds, version, { adapterId, scale });
  }

  async setAdapter(
    version: PolicyVersionId,
    adapter: Adapter | PublishedAdapter | null,
  ): Promise<void> {
    await this.worker.setVersion({ version, adapter });
  }

  async loadAdapter(adapterId: string, adapter: Adapter): Promise<void> {
    await this.worker.call((client) => client.ask({ kind: "load-adapter", adapterId, adapter }));
    this.worker.loaded.set(adapterId, adapter);
  }

  async unloadAdapter(adapterId: string): Promise<void> {
    await this.worker.call((client) => client.ask({ kind: "unload-adapter", adapterId }));
    this.worker.loaded.delete(adapterId);
  }

  async score(request: ScoreRequest): Promise<TokenScores> {
    const [scores] = await this.scoreMany([request]);
    return scores as TokenScores;
  }

  async scoreMany(
    requests: readonly ScoreRequest[],
    { signal }: Cancellable = {},
  ): Promise<TokenScores[]> {
    return this.worker.call(async (client) => [
      ...(await client.ask({ kind: "score-many", requests }, { signal })),
    ]);
  }

  async dispose(): Promise<void> {
    await this.worker.dispose();
  }
}
