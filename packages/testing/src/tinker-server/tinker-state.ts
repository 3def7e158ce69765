/**
 * What a server of the Tinker API holds: models, their saved weights, and futures of requests that
 * are worked on one after the other. Without HTTP, and without what one kind of server says where
 * another says something else.
 */
import type { EngineCheckpoint, TensorMap, TrainEngine } from "@waggle/protocol";

/** What a client asked a model to be. */
export type TinkerModelRequest = {
  readonly baseModel: string;
  /** 0: every parameter is trained. */
  readonly rank: number;
  readonly alpha: number;
  readonly seed: number | undefined;
};

/** A checkpoint, and the request that created its model. */
export type SavedWeights = {
  readonly checkpoint: EngineCheckpoint;
  readonly request: TinkerModelRequest;
};

export type TinkerModel = {
  readonly id: string;
  readonly request: TinkerModelRequest;
  /** Null where the server was started again since. */
  engine: TrainEngine | null;
  /** Requests by `seq_id`, for servers that know a repeated one. */
  readonly repeats: Map<number, { readonly content: string; readonly requestId: string }>;
  /** Requests that came before one with a lower `seq_id`, for servers that bring them in order. */
  readonly early: Map<number, () => void>;
  /** Requests other than its creation. */
  requests: number;
};

/** A saved model, or the base model. */
export type Sampler = { readonly baseModel: string; readonly modelPath: string | null };

type Future =
  | { readonly status: "pending" }
  | { readonly status: "done"; readonly result: unknown }
  | { readonly status: "failed"; readonly message: string };

export type TinkerStateOptions = {
  readonly createEngine: (request: TinkerModelRequest) => Promise<TrainEngine>;
  /** Saved weights by path; two servers with one map are two servers on one shared disk. */
  readonly savedWeights: Map<string, SavedWeights>;
};

export class TinkerState {
  readonly savedWeights: Map<string, SavedWeights>;
  readonly models: Map<string, TinkerModel> = new Map();
  readonly sessions: Set<string> = new Set();
  /** What a sampling session samples from, by its id. */
  readonly samplers: Map<string, Sampler> = new Map();
  /** Archives for samplers, by model and name. */
  readonly archives: Map<string, Uint8Array> = new Map();
  readonly #createEngine: TinkerStateOptions["createEngine"];
  readonly #futures = new Map<string, Future>();
  #last: Promise<void> = Promise.resolve();
  #count = 0;

  constructor({ createEngine, savedWeights }: TinkerStateOptions) {
    this.#createEngine = createEngine;
    this.savedWeights = savedWeights;
  }

  /** A number that was not given before. */
  nextNumber(): number {
    return ++this.#count;
  }

  addModel(id: string, request: TinkerModelRequest): TinkerModel {
    const maps = { repeats: new Map(), early: new Map() };
    const model: TinkerModel = { id, request, engine: null, ...maps, requests: 0 };
    this.models.set(id, model);
    return model;
  }

  /** Loads the model's engine, where there is none. */
  async startModel(model: TinkerModel): Promise<TrainEngine> {
    model.engine ??= await this.#createEngine(model.request);
    return model.engine;
  }

  async stopModel(id: string): Promise<void> {
    const model = this.models.get(id);
    await model?.engine?.dispose();
    if (model !== undefined) model.engine = null;
  }

  /** A future that is pending before its work can start. */
  hold(requestId: string): void {
    this.#futures.set(requestId, { status: "pending" });
  }

  /** Puts a request behind those that wait. What `work` throws fails its future. */
  enqueue(requestId: string, work: () => Promise<unknown>): string {
    this.#futures.set(requestId, { status: "pending" });
    this.#last = this.#last.then(async () => {
      this.#futures.set(requestId, await settled(work));
    });
    return requestId;
  }

  /** The future, awaited for at most that long. */
  async future(requestId: string, waitMs: number): Promise<Future | undefined> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const future = this.#futures.get(requestId);
      if (future?.status !== "pending" || performance.now() >= deadline) return future;
      await Promise.race([this.#last, new Promise((resolve) => setTimeout(resolve, 5))]);
    }
  }

  /** The process ends and starts again: engines are gone, saved weights stay. */
  async restart(keepsRecords: boolean): Promise<void> {
    await this.#last;
    for (const { id } of this.models.values()) await this.stopModel(id);
    if (keepsRecords) return;
    this.models.clear();
    this.sessions.clear();
    this.samplers.clear();
    this.#futures.clear();
  }
}

async function settled(work: () => Promise<unknown>): Promise<Future> {
  try {
    return { status: "done", result: await work() };
  } catch (error) {
    return { status: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

/** Files by name that make an adapter, or a model, in other people's tools. */
export type ExportFiles = (
  parameters: TensorMap,
  request: TinkerModelRequest,
) => ReadonlyMap<string, Uint8Array>;
