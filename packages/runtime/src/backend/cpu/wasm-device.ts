/**
 * Tensors on the heap of onnxruntime's WebAssembly module, whose C functions are called directly:
 * no data is copied to JavaScript and back, and a run returns without a promise. onnxruntime-web's
 * own API copies every input and output, including keys and values, which takes most of a step.
 */
import type { OnnxModel } from "@waggle/model";
import type { CreateOrtModule, OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { LOCATION, ORT_VERSION, OrtModule } from "../ort-module.ts";
import type { BoundRun, CpuBuffer, CpuDevice, CpuProgram, Operand } from "./cpu-device.ts";
import { createPageModule } from "./wasm-module.ts";

/**
 * Starts a module with its own memory.
 *
 * @param threads - more than 1 requires a cross-origin isolated page.
 * @param createModule - default: from the files that the page's bundler copied.
 * @throws WaggleError `DEVICE_UNAVAILABLE` if the module does not load.
 */
export async function createWasmDevice(
  threads: number,
  createModule: CreateOrtModule = createPageModule,
): Promise<CpuDevice> {
  return new WasmDevice(await OrtModule.start(createModule, threads));
}

class WasmDevice implements CpuDevice {
  readonly kernels: string = `${ORT_VERSION} wasm gqa in-place`;
  readonly copiesOutputs = false;
  readonly #ort: OrtModule;

  constructor(ort: OrtModule) {
    this.#ort = ort;
  }

  allocate(sizeBytes: number): WasmBuffer {
    return new WasmBuffer(this.#ort, sizeBytes);
  }

  async load(graph: OnnxModel): Promise<CpuProgram> {
    const session = await this.#ort.createSession(graph, this.#ort.createOptions(true));
    const { model, externalData } = graph;
    const sizeBytes = externalData.reduce(
      (sum, { data }) => sum + data.byteLength,
      model.byteLength,
    );
    return new WasmProgram(this.#ort, session, sizeBytes);
  }

  dispose(): void {
    this.#ort.dispose();
  }
}

class WasmBuffer implements CpuBuffer {
  readonly address: number;
  readonly sizeBytes: number;
  readonly #ort: OrtModule;
  #isFreed = false;

  constructor(ort: OrtModule, sizeBytes: number) {
    this.#ort = ort;
    this.address = ort.allocate(sizeBytes);
    this.sizeBytes = sizeBytes;
  }

  get #heap(): Uint8Array {
    return this.#ort.heap(this.address + this.sizeBytes);
  }

  floats(offset: number, count: number): Float32Array {
    return new Float32Array(this.#heap.buffer, this.address + offset, count);
  }

  ints(offset: number, count: number): Int32Array {
    return new Int32Array(this.#heap.buffer, this.address + offset, count);
  }

  copyFrom(source: CpuBuffer, sourceOffset: number, offset: number, bytes: number): void {
    const from = (source as WasmBuffer).address + sourceOffset;
    this.#heap.copyWithin(this.address + offset, from, from + bytes);
  }

  fill(value: 0, offset: number, bytes: number): void {
    const start = this.address + offset;
    this.#heap.fill(value, start, start + bytes);
  }

  free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    this.#ort.free(this.address);
  }
}

class WasmProgram implements CpuProgram {
  readonly sizeBytes: number;
  readonly #ort: OrtModule;
  readonly #session: number;
  /** Addresses of names. */
  readonly #names = new Map<string, number>();

  constructor(ort: OrtModule, session: number, sizeBytes: number) {
    this.#ort = ort;
    this.#session = session;
    this.sizeBytes = sizeBytes;
  }

  bind(inputs: readonly Operand[], outputs: readonly Operand[]): BoundRun {
    return new WasmRun(this.#ort, this.#session, this.#list(inputs), this.#list(outputs));
  }

  release(): void {
    for (const name of this.#names.values()) this.#ort.free(name);
    this.#names.clear();
    this.#ort.releaseSession(this.#session);
  }

  #list(operands: readonly Operand[]): OperandList {
    const names = operands.map(({ name }) => {
      const known = this.#names.get(name);
      if (known !== undefined) return known;
      const address = this.#ort.text(name);
      this.#names.set(name, address);
      return address;
    });
    const handles = operands.map(({ buffer, offset, type, shape }) => {
      const at = (buffer as WasmBuffer).address + offset;
      return this.#ort.createTensor(type, shape, at, LOCATION.cpu);
    });
    const table = this.#ort.pointers([...names, ...handles]);
    return { names: table, values: table + 4 * names.length, count: names.length, handles };
  }
}

/** Pointers to names and tensors, in the layout for a run. */
type OperandList = {
  /** Start of one block: names, then tensors. */
  readonly names: number;
  readonly values: number;
  readonly count: number;
  readonly handles: readonly number[];
};

class WasmRun implements BoundRun {
  readonly #ort: OrtModule;
  readonly #inputs: OperandList;
  readonly #outputs: OperandList;
  readonly #call: (module: OrtWasmModule) => number | Promise<number>;

  constructor(ort: OrtModule, session: number, inputs: OperandList, outputs: OperandList) {
    this.#ort = ort;
    this.#inputs = inputs;
    this.#outputs = outputs;
    this.#call = (module) =>
      module._OrtRun(
        session,
        inputs.names,
        inputs.values,
        inputs.count,
        outputs.names,
        outputs.count,
        outputs.values,
        0,
      );
  }

  execute(): void {
    this.#ort.call("run", this.#call);
  }

  release(): void {
    for (const { handles, names } of [this.#inputs, this.#outputs]) {
      this.#ort.releaseTensors(handles);
      this.#ort.free(names);
    }
  }
}
