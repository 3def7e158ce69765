/**
 * The Policy of a page: a worker runs the model and samples, so the page stays responsive and one
 * message per generation crosses. Nothing here computes.
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
import { BrowserSession } from "./browser-session.ts";
import { disposedError } from "./generate-options.ts";
import { readChecks, writeCheck } from "./device-checks.ts";
import { defaultThreads } from "./limits.ts";
import { PolicyWorker } from "./policy-worker.ts";
import type { AdaptivePolicy, Cancellable, Session, SessionSnapshot } from "./session/session.ts";
import { WorkerClient } from "./worker-client.ts";
import type { WorkerHandle } from "./worker-client.ts";
import type { AnswerTo, BrowserDevice, ModelFiles, OpenRequest } from "./worker/messages.ts";

export type BrowserPolicyOptions = {
  /**
   * Bytes of `config.json`, `model.safetensors` (or its index and shards) and, for grammars, of the
   * tokenizer's files by path, which are copied; or a model of `loadModel`, which the worker reads
   * from the browser's storage.
   */
  readonly modelFiles: ModelFiles;
  /** Hex sha256 of the model's file list. */
  readonly baseModel: string;
  /** Default `auto`: WebGPU where there is a hardware adapter, else WASM. */
  readonly device?: "auto" | BrowserDevice;
  /**
   * WASM threads; one without cross-origin isolation. Default: one for small models, else half of
   * the machine's, at most 4.
   */
  readonly threads?: number;
  /**
   * Number format of the matrices. Default: the one they are stored in, `f32` for numbers. `f16` is
   * computed in `f32` where the device has no f16, as no CPU has here.
   */
  readonly dtype?: WeightFormat;
  /** Most tokens of one session, at most the model's positions. Default: those, at most 8192. */
  readonly contextLength?: number;
  /** Most tokens of one run in prefill and scoring. Default: what is right and fits the device. */
  readonly maxRunTokens?: number;
  /** On WASM. Default `merge` where it can be; WebGPU writes adapters into bound buffers. */
  readonly adapterStrategy?: AdapterStrategy;
  /** With `inputs`: adapters up to this rank share one graph. Default 16. */
  readonly adapterRank?: number;
  /** Bytes that keys and values may take; idle sessions' beyond it are read again. Default 1 GiB. */
  readonly cacheBytes?: number;
  /** Makes the worker, where a bundler cannot follow the default; again when one dies. */
  readonly createWorker?: (device: BrowserDevice) => WorkerHandle;
};

/**
 * Starts a worker and loads the model into it, at version 0. A worker that dies is replaced, and what
 * it was doing is done again from the page's record of tokens.
 *
 * Before the first use of a device, it is checked whether it computes rightly; a wrong one is gone
 * around, or refused: `auto` then takes WASM.
 *
 * @throws WaggleError `DEVICE_UNAVAILABLE` when `webgpu` is asked for and there is no adapter, or one
 *   that computes wrongly, `INVALID_ARGUMENT` for a context beyond the model's positions, `MODEL_CORRUPT` or `MODEL_UNSUPPORTED` for files that are no such decoder.
 */
export async function createBrowserPolicy(options: BrowserPolicyOptions): Promise<AdaptivePolicy> {
  const wanted = options.device ?? "auto";
  const policy = await openOn(wanted, options);
  if (typeof policy !== "string") return policy;
  if (wanted === "auto") {
    const onWasm = await openOn("wasm", options);
    if (typeof onWasm !== "string") return onWasm;
  }
  throw new WaggleError(
    "DEVICE_UNAVAILABLE",
    `device "${wanted}" must compute rightly, got ${policy}; use another one`,
  );
}

/** @returns why the device was refused, where its check did. */
async function openOn(
  wanted: "auto" | BrowserDevice,
  options: BrowserPolicyOptions,
): Promise<AdaptivePolicy | string> {
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
    adapterRank: options.adapterRank ?? 16,
    cacheBytes: options.cacheBytes ?? null,
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

/** Size of the weights. Half-precision files count half; the threshold is not that sharp. */
function bytesOf(model: ModelFiles): number {
  const sizes =
    "get" in model
      ? Array.from(model, ([path, { length }]) => ({ path, sizeBytes: length }))
      : model.files;
  let sum = 0;
  for (const { path, sizeBytes } of sizes) if (path.endsWith(".safetensors")) sum += sizeBytes;
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

  async setAdapter(version: PolicyVersionId, adapter: Adapter | null): Promise<void> {
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
