/**
 * Shares one backend between several policies of the same model: pages served by one service worker
 * share the weights, while each has its own sessions, versions and scheduler. Runs never overlap.
 */
import type { Adapter } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { DecoderBackend, DecoderSession } from "../backend/decoder-backend.ts";
import type { WorkerBackendOptions, WorkerDevice } from "./checked-device.ts";

type Shared = {
  readonly backend: Promise<DecoderBackend>;
  users: number;
  /** The end of the last run of any user. */
  last: Promise<unknown>;
};

/** The same device, opening one backend for equal options. */
export function shareBackend(device: WorkerDevice): WorkerDevice {
  const shared = new Map<string, Shared>();

  const openBackend = async (options: WorkerBackendOptions): Promise<DecoderBackend> => {
    const { weights: _weights, ...rest } = options;
    const key = JSON.stringify(rest);
    const found = shared.get(key);
    const entry = found ?? {
      backend: device.openBackend(options),
      users: 0,
      last: Promise.resolve(),
    };
    shared.set(key, entry);
    entry.users++;
    /** The next user opens a new backend; current users notice the loss themselves. */
    const forget = (): void => {
      if (shared.get(key) === entry) shared.delete(key);
    };
    try {
      return new BackendShare(await entry.backend, entry, forget);
    } catch (error) {
      forget();
      throw error;
    }
  };
  return { ...device, openBackend };
}

class BackendShare implements DecoderBackend {
  readonly #backend: DecoderBackend;
  readonly #entry: Shared;
  readonly #forget: () => void;
  #isDisposed = false;

  constructor(backend: DecoderBackend, entry: Shared, forget: () => void) {
    this.#backend = backend;
    this.#entry = entry;
    this.#forget = forget;
  }

  get dtype(): DecoderBackend["dtype"] {
    return this.#backend.dtype;
  }

  get kernels(): string {
    return this.#backend.kernels;
  }

  open(adapter: Adapter | null, scale?: number): Promise<DecoderSession> {
    return this.#inTurn(async () => {
      const session = await this.#backend.open(adapter, scale);
      return {
        maxRunTokens: session.maxRunTokens,
        maxRunScores: session.maxRunScores,
        maxRows: session.maxRows,
        createCache: () => this.#inTurn(() => session.createCache()),
        fork: (cache, length) => this.#inTurn(() => session.fork(cache, length)),
        run: (rows) => this.#inTurn(() => session.run(rows)),
        release: () => this.#inTurn(() => session.release()),
      };
    });
  }

  memory(): ReturnType<DecoderBackend["memory"]> {
    return this.#backend.memory();
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#entry.users--;
    if (this.#entry.users > 0) return;
    this.#forget();
    await this.#entry.last;
    await this.#backend.dispose();
  }

  async #inTurn<T>(task: () => T | Promise<T>): Promise<T> {
    const turn = this.#entry.last.then(task);
    this.#entry.last = turn.catch(() => undefined);
    try {
      return await turn;
    } catch (error) {
      if (WaggleError.is(error, "DEVICE_LOST")) this.#forget();
      throw error;
    }
  }
}
