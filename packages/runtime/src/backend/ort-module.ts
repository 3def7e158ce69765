/**
 * onnxruntime's WebAssembly module, driven through its C functions: sessions, tensors, strings and
 * errors on its heap. onnxruntime-web's JavaScript is not loaded.
 * Source: onnxruntime 1.30, wasm/api.cc.
 */
import type { OnnxModel } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { CreateOrtModule, OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import type { ElementType } from "./cpu/cpu-device.ts";
import { outOfMemory } from "./cpu/out-of-memory.ts";

export const ORT_VERSION = "onnxruntime-web/1.30.0";

/** onnxruntime's codes for a tensor's memory location. */
export const LOCATION = { cpu: 1, gpuBuffer: 4 } as const;

/** ONNX's codes for element types. */
const TYPES: { readonly [type in ElementType | "u8"]: number } = { f32: 1, u8: 2, i32: 6, f16: 10 };
const ELEMENT_BYTES: typeof TYPES = { f32: 4, u8: 1, i32: 4, f16: 2 };
const LOG_ERRORS = 3;
const OPTIMIZE_ALL = 99;

export class OrtModule<M extends OrtWasmModule = OrtWasmModule> {
  #module: M | null;
  #trap: unknown = null;

  private constructor(module: M) {
    this.#module = module;
  }

  /**
   * Starts a module with its own memory.
   *
   * @param threads - more than 1 requires a cross-origin isolated page.
   * @throws WaggleError `DEVICE_UNAVAILABLE` if the module does not load.
   */
  static async start<M extends OrtWasmModule>(
    createModule: CreateOrtModule<M>,
    threads: number,
  ): Promise<OrtModule<M>> {
    let module: M;
    try {
      module = await createModule({ numThreads: threads });
    } catch (cause) {
      throw new WaggleError(
        "DEVICE_UNAVAILABLE",
        `cannot load onnxruntime's WebAssembly module: ${messageOf(cause)}; serve its .mjs and .wasm`,
        { cause, retryable: true },
      );
    }
    const ort = new OrtModule(module);
    ort.call("start", (m) => m._OrtInit(threads, LOG_ERRORS));
    return ort;
  }

  /** @throws WaggleError `DEVICE_LOST` (retryable) once the module has trapped or was disposed of. */
  get module(): M {
    if (this.#module !== null) return this.#module;
    throw new WaggleError(
      "DEVICE_LOST",
      `the WebAssembly module is gone: ${this.#trap === null ? "disposed" : messageOf(this.#trap)}; open the model again`,
      { retryable: true, cause: this.#trap },
    );
  }

  get isLost(): boolean {
    return this.#module === null;
  }

  dispose(): void {
    this.#module = null;
  }

  /** Calls the module. After a trap its memory is undefined, so it is never called again. */
  guard<T>(fn: (module: M) => T): T {
    const { module } = this;
    try {
      return fn(module);
    } catch (error) {
      this.#lose(error);
      return this.module as never; // throws
    }
  }

  /** `guard` for functions that return 0 on success. */
  call(what: string, fn: (module: M) => number | Promise<number>): void {
    if (this.guard(fn) !== 0) throw this.error(what);
  }

  /** `call` for functions that may wait for a device. */
  async callAndWait(what: string, fn: (module: M) => number | Promise<number>): Promise<void> {
    let status: number;
    try {
      status = await fn(this.module);
    } catch (error) {
      this.#lose(error);
      status = this.module as never; // throws
    }
    if (status !== 0) throw this.error(what);
  }

  /** The error of the last call. */
  error(what: string): WaggleError {
    const message = this.guard((m) => {
      const at = m._malloc(8);
      m._OrtGetLastError(at, at + 4);
      const text = m.UTF8ToString(m.getValue(at + 4, "*"));
      m._free(at);
      return text;
    });
    if (/bad_alloc|allocat|memory/i.test(message)) return outOfMemory(what, message);
    return new WaggleError(
      what === "run" ? "INTERNAL" : "MODEL_UNSUPPORTED",
      `onnxruntime cannot ${what}: "${message.slice(0, 300)}"; use another backend or model`,
    );
  }

  /** @returns its address. @throws WaggleError `OUT_OF_MEMORY`. */
  allocate(sizeBytes: number): number {
    // Addresses above 2 GB are returned as negative numbers.
    const address = this.guard((m) => m._malloc(Math.max(1, sizeBytes))) >>> 0;
    if (address === 0) throw outOfMemory("allocate", `${sizeBytes} bytes refused`);
    return address;
  }

  /** Does nothing if the module, and with it the heap, is lost. */
  free(address: number): void {
    if (!this.isLost) this.guard((m) => m._free(address));
  }

  /**
   * The module's memory, at least up to `end`: growth on another thread is only noticed on access.
   * Valid until the next call.
   */
  heap(end: number): Uint8Array {
    const { module } = this;
    if (end > module.HEAPU8.length) module.getValue(end - 1, "i8");
    return module.HEAPU8;
  }

  /** A C string; the caller frees it. */
  text(value: string): number {
    const bytes = this.module.lengthBytesUTF8(value) + 1;
    const address = this.allocate(bytes);
    this.module.stringToUTF8(value, address, bytes);
    return address;
  }

  /** An array of pointers; the caller frees it. */
  pointers(addresses: readonly number[]): number {
    const table = this.allocate(4 * addresses.length);
    for (const [index, address] of addresses.entries()) {
      this.module.setValue(table + 4 * index, address, "*");
    }
    return table;
  }

  /** @param isPooled - whether host memory is pooled and planned ahead of runs. */
  createOptions(isPooled: boolean): number {
    return this.guard((m) =>
      m._OrtCreateSessionOptions(
        OPTIMIZE_ALL,
        isPooled,
        isPooled,
        0,
        false,
        0,
        0,
        LOG_ERRORS,
        0,
        0,
      ),
    );
  }

  /**
   * @param options - from `createOptions`; released here.
   * @returns the session's handle.
   */
  async createSession({ model, externalData }: OnnxModel, options: number): Promise<number> {
    let bytes = 0;
    try {
      bytes = this.allocate(model.byteLength);
      this.heap(bytes + model.byteLength).set(model, bytes);
      for (const { path, data } of externalData) this.module.mountExternalData(path, data);
      const session = await this.#create(bytes, model.byteLength, options);
      if (session === 0) throw this.error("open a session");
      return session;
    } finally {
      if (!this.isLost) {
        this.module.unmountExternalData();
        this.guard((m) => m._OrtReleaseSessionOptions(options));
        this.free(bytes);
      }
    }
  }

  async #create(bytes: number, sizeBytes: number, options: number): Promise<number> {
    try {
      return await this.module._OrtCreateSession(bytes, sizeBytes, options);
    } catch (error) {
      // Large models run out of memory during loading, which traps.
      this.#lose(error);
      throw outOfMemory("open a session", messageOf(error));
    }
  }

  /**
   * @param at - its address, or the identifier of a GPU buffer.
   * @returns its handle.
   */
  createTensor(
    type: ElementType | "u8",
    shape: readonly number[],
    at: number,
    location: number,
  ): number {
    const count = shape.reduce((product, size) => product * size, 1);
    const handle = this.guard((m) => {
      const dims = m._malloc(4 * Math.max(1, shape.length));
      for (const [axis, size] of shape.entries()) m.setValue(dims + 4 * axis, size, "i32");
      const bytes = count * ELEMENT_BYTES[type];
      const tensor = m._OrtCreateTensor(TYPES[type], at, bytes, dims, shape.length, location);
      m._free(dims);
      return tensor;
    });
    if (handle === 0) throw this.error("create a tensor");
    return handle;
  }

  releaseTensors(handles: readonly number[]): void {
    if (this.isLost) return;
    for (const handle of handles) this.guard((m) => m._OrtReleaseTensor(handle));
  }

  releaseSession(session: number): void {
    if (!this.isLost) this.call("release a session", (m) => m._OrtReleaseSession(session));
  }

  #lose(trap: unknown): void {
    this.#trap = trap;
    this.#module = null;
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
