/**
 * Tensors on the heap of onnxruntime's WebAssembly module, and its C functions called directly: no
 * number crosses into JavaScript and back, and a run returns without a promise. onnxruntime-web's own
 * API copies every input and output, keys and values too, which is most of a step.
 */
import type { OnnxModel } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { CreateOrtModule, OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { outOfMemory } from "./out-of-memory.ts";
import { createPageModule } from "./wasm-module.ts";
import type {
  BoundRun,
  CpuBuffer,
  CpuDevice,
  CpuProgram,
  ElementType,
  Operand,
} from "./cpu-device.ts";

/** ONNX's numbers of element types. */
const TYPES: { readonly [type in ElementType]: number } = { f32: 1, i32: 6, f16: 10 };
const ELEMENT_BYTES: { readonly [type in ElementType]: number } = { f32: 4, i32: 4, f16: 2 };
const ON_CPU = 1;
const LOG_ERRORS = 3;
const OPTIMIZE_ALL = 99;

/**
 * Starts a module with a memory of its own.
 *
 * @param threads - more than 1 needs a cross-origin isolated page.
 * @param createModule - default: from the files that a page's bundler copied.
 * @throws WaggleError `DEVICE_UNAVAILABLE` where the module does not load.
 */
export async function createWasmDevice(
  threads: number,
  createModule: CreateOrtModule = createPageModule,
): Promise<CpuDevice> {
  let module: OrtWasmModule;
  try {
    module = await createModule({ numThreads: threads });
  } catch (cause) {
    throw new WaggleError(
      "DEVICE_UNAVAILABLE",
      `onnxruntime's WebAssembly module must load, got ${messageOf(cause)}; check that its .wasm file is served`,
      { cause, retryable: true },
    );
  }
  const device = new WasmDevice(module);
  device.call("start", (m) => m._OrtInit(threads, LOG_ERRORS));
  return device;
}

class WasmDevice implements CpuDevice {
  readonly kernels: string = "onnxruntime-web/1.30.0 wasm gqa in-place";
  readonly copiesOutputs = false;
  #module: OrtWasmModule | null;
  #trap: unknown = null;

  constructor(module: OrtWasmModule) {
    this.#module = module;
  }

  /** @throws WaggleError `DEVICE_LOST` (retryable) once the module trapped or was disposed. */
  get module(): OrtWasmModule {
    if (this.#module !== null) return this.#module;
    throw new WaggleError(
      "DEVICE_LOST",
      `the WebAssembly module must run, got ${this.#trap === null ? "one that was disposed" : messageOf(this.#trap)}; open the model again`,
      { retryable: true, cause: this.#trap },
    );
  }

  /** Calls into the module. A trap leaves its memory undefined: it is never called again. */
  guard<T>(fn: (module: OrtWasmModule) => T): T {
    const { module } = this;
    try {
      return fn(module);
    } catch (error) {
      this.lose(error);
      return this.module as never; // throws
    }
  }

  lose(trap: unknown): void {
    this.#trap = trap;
    this.#module = null;
  }

  /** The same for functions that answer 0 when they succeed. */
  call(what: string, fn: (module: OrtWasmModule) => number | Promise<number>): void {
    if (this.guard(fn) !== 0) throw this.lastError(what);
  }

  lastError(what: string): WaggleError {
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
      `onnxruntime must ${what}, got "${message.slice(0, 300)}"; use another back end or model`,
    );
  }

  allocate(sizeBytes: number): WasmBuffer {
    // Above 2 GB addresses come back negative.
    const address = this.guard((m) => m._malloc(Math.max(1, sizeBytes))) >>> 0;
    if (address === 0) throw outOfMemory("allocate", `${sizeBytes} bytes refused`);
    return new WasmBuffer(this, address, sizeBytes);
  }

  text(value: string): WasmBuffer {
    const bytes = this.module.lengthBytesUTF8(value) + 1;
    const buffer = this.allocate(bytes);
    this.module.stringToUTF8(value, buffer.address, bytes);
    return buffer;
  }

  async load({ model, externalData }: OnnxModel): Promise<CpuProgram> {
    const bytes = this.allocate(model.byteLength);
    const options = this.guard((m) =>
      m._OrtCreateSessionOptions(OPTIMIZE_ALL, true, true, 0, false, 0, 0, LOG_ERRORS, 0, 0),
    );
    try {
      bytes.bytes(0, model.byteLength).set(model);
      let sizeBytes = model.byteLength;
      for (const { path, data } of externalData) {
        this.module.mountExternalData(path, data);
        sizeBytes += data.byteLength;
      }
      const session = await this.#createSession(bytes, options);
      return new WasmProgram(this, session, sizeBytes);
    } finally {
      if (this.#module !== null) {
        this.module.unmountExternalData();
        this.guard((m) => m._OrtReleaseSessionOptions(options));
        bytes.free();
      }
    }
  }

  async #createSession(model: WasmBuffer, options: number): Promise<number> {
    let session: number;
    try {
      session = await this.module._OrtCreateSession(model.address, model.sizeBytes, options);
    } catch (error) {
      // Loading is where large models run out of memory, and traps when it does.
      this.lose(error);
      throw outOfMemory("open a session", messageOf(error));
    }
    if (session === 0) throw this.lastError("open a session");
    return session;
  }

  get isLost(): boolean {
    return this.#module === null;
  }

  dispose(): void {
    this.#module = null;
  }
}

class WasmBuffer implements CpuBuffer {
  readonly address: number;
  readonly sizeBytes: number;
  readonly #device: WasmDevice;
  #isFreed = false;

  constructor(device: WasmDevice, address: number, sizeBytes: number) {
    this.#device = device;
    this.address = address;
    this.sizeBytes = sizeBytes;
  }

  /** The heap, where this buffer lies in it: growth on another thread is seen only when looked for. */
  get #heap(): Uint8Array {
    const { module } = this.#device;
    if (this.address + this.sizeBytes > module.HEAPU8.length) module.getValue(this.address, "i8");
    return module.HEAPU8;
  }

  floats(offset: number, count: number): Float32Array {
    return new Float32Array(this.#heap.buffer, this.address + offset, count);
  }

  ints(offset: number, count: number): Int32Array {
    return new Int32Array(this.#heap.buffer, this.address + offset, count);
  }

  bytes(offset: number, count: number): Uint8Array {
    return new Uint8Array(this.#heap.buffer, this.address + offset, count);
  }

  copyFrom(source: CpuBuffer, sourceOffset: number, offset: number, bytes: number): void {
    const from = (source as WasmBuffer).address + sourceOffset;
    this.#heap.copyWithin(this.address + offset, from, from + bytes);
  }

  fill(value: 0, offset: number, bytes: number): void {
    this.bytes(offset, bytes).fill(value);
  }

  free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    if (!this.#device.isLost) this.#device.guard((m) => m._free(this.address));
  }
}

class WasmProgram implements CpuProgram {
  readonly sizeBytes: number;
  readonly #device: WasmDevice;
  readonly #session: number;
  readonly #names = new Map<string, WasmBuffer>();

  constructor(device: WasmDevice, session: number, sizeBytes: number) {
    this.#device = device;
    this.#session = session;
    this.sizeBytes = sizeBytes;
  }

  bind(inputs: readonly Operand[], outputs: readonly Operand[]): BoundRun {
    return new WasmRun(this.#device, this.#session, this.#list(inputs), this.#list(outputs));
  }

  release(): void {
    if (this.#device.isLost) return;
    for (const name of this.#names.values()) name.free();
    this.#names.clear();
    this.#device.call("release a session", (m) => m._OrtReleaseSession(this.#session));
  }

  #list(operands: readonly Operand[]): OperandList {
    const device = this.#device;
    const { module } = device;
    const table = device.allocate(8 * operands.length);
    for (const [index, { name }] of operands.entries()) {
      let text = this.#names.get(name);
      if (text === undefined) {
        text = device.text(name);
        this.#names.set(name, text);
      }
      module.setValue(table.address + 4 * index, text.address, "*");
    }
    const handles = operands.map((operand) => createTensor(device, operand));
    const values = table.address + 4 * operands.length;
    for (const [index, handle] of handles.entries()) {
      module.setValue(values + 4 * index, handle, "*");
    }
    return { names: table.address, values, count: operands.length, table, handles };
  }
}

function createTensor(device: WasmDevice, { buffer, offset, type, shape }: Operand): number {
  const count = shape.reduce((product, size) => product * size, 1);
  const handle = device.guard((m) => {
    const dims = m._malloc(4 * Math.max(1, shape.length));
    for (const [axis, size] of shape.entries()) m.setValue(dims + 4 * axis, size, "i32");
    const at = (buffer as WasmBuffer).address + offset;
    const bytes = count * ELEMENT_BYTES[type];
    const tensor = m._OrtCreateTensor(TYPES[type], at, bytes, dims, shape.length, ON_CPU);
    m._free(dims);
    return tensor;
  });
  if (handle === 0) throw device.lastError("create a tensor");
  return handle;
}

/** Pointers to names and tensors, as a run takes them. */
type OperandList = {
  readonly names: number;
  readonly values: number;
  readonly count: number;
  readonly table: WasmBuffer;
  readonly handles: readonly number[];
};

class WasmRun implements BoundRun {
  readonly #device: WasmDevice;
  readonly #session: number;
  readonly #inputs: OperandList;
  readonly #outputs: OperandList;

  constructor(device: WasmDevice, session: number, inputs: OperandList, outputs: OperandList) {
    this.#device = device;
    this.#session = session;
    this.#inputs = inputs;
    this.#outputs = outputs;
  }

  execute(): void {
    const inputs = this.#inputs;
    const outputs = this.#outputs;
    this.#device.call("run", (m) =>
      m._OrtRun(
        this.#session,
        inputs.names,
        inputs.values,
        inputs.count,
        outputs.names,
        outputs.count,
        outputs.values,
        0,
      ),
    );
  }

  release(): void {
    if (this.#device.isLost) return;
    for (const { handles, table } of [this.#inputs, this.#outputs]) {
      for (const handle of handles) this.#device.guard((m) => m._OrtReleaseTensor(handle));
      table.free();
    }
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
