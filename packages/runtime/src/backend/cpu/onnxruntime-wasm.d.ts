/**
 * The functions of onnxruntime-web 1.30's WebAssembly modules used here. The package has no types
 * for them.
 */
declare module "onnxruntime-web/ort-wasm-simd-threaded.mjs" {
  export type OrtWasmModule = {
    readonly HEAPU8: Uint8Array;
    mountExternalData(path: string, data: Uint8Array): void;
    unmountExternalData(): void;
    _malloc(bytes: number): number;
    _free(address: number): void;
    getValue(address: number, type: "i8" | "i32" | "*"): number;
    setValue(address: number, value: number, type: "i32" | "*"): void;
    UTF8ToString(address: number): string;
    lengthBytesUTF8(text: string): number;
    stringToUTF8(text: string, address: number, maxBytes: number): void;
    _OrtInit(threads: number, logLevel: number): number;
    _OrtGetLastError(codeAddress: number, messageAddress: number): void;
    _OrtCreateSessionOptions(
      optimizationLevel: number,
      enableCpuMemArena: boolean,
      enableMemPattern: boolean,
      executionMode: number,
      enableProfiling: boolean,
      profilePrefix: number,
      logId: number,
      logSeverity: number,
      logVerbosity: number,
      optimizedModelPath: number,
    ): number;
    _OrtAddSessionConfigEntry(options: number, key: number, value: number): number;
    _OrtReleaseSessionOptions(options: number): number;
    _OrtCreateSession(data: number, bytes: number, options: number): number | Promise<number>;
    _OrtReleaseSession(session: number): number;
    _OrtCreateTensor(
      type: number,
      data: number,
      bytes: number,
      dims: number,
      rank: number,
      location: number,
    ): number;
    _OrtReleaseTensor(tensor: number): number;
    _OrtRun(
      session: number,
      inputNames: number,
      inputs: number,
      inputCount: number,
      outputNames: number,
      outputCount: number,
      outputs: number,
      options: number,
    ): number | Promise<number>;
  };
  /** Starts a module with its own memory. */
  export type CreateOrtModule<M extends OrtWasmModule = OrtWasmModule> = (config: {
    readonly numThreads: number;
    /** Location of the `.wasm` file. Default: next to the loader. */
    readonly locateFile?: () => string;
    /** Replaces the fetch of the `.wasm` file. `receive` gets an instance, and the module for the threads. */
    readonly instantiateWasm?: (
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) => object;
  }) => Promise<M>;
  const createModule: CreateOrtModule;
  export default createModule;
}

declare module "onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs" {
  import type { OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
  /** With the WebGPU provider. Functions that wait for the device return promises. */
  export type OrtWebgpuModule = OrtWasmModule & {
    /** Enables waiting. Call before any such function. */
    asyncInit(): void;
    /** Creates the functions below. */
    webgpuInit(onDefaultDevice: (device: GPUDevice) => void): void;
    /** Applies to the session created next. */
    webgpuRegisterDevice(
      device: GPUDevice,
    ): readonly [deviceId: number, instance: number, device: number];
    /** @param session - 0 if none was created. */
    webgpuOnCreateSession(session: number): void;
    webgpuOnReleaseSession(session: number): void;
    /** @returns an identifier of the buffer for tensors. */
    webgpuRegisterBuffer(buffer: GPUBuffer, session: number): number;
    webgpuUnregisterBuffer(buffer: GPUBuffer): void;
    _OrtAppendExecutionProvider(
      options: number,
      name: number,
      keys: number,
      values: number,
      count: number,
    ): number | Promise<number>;
    _OrtCreateRunOptions(
      logSeverity: number,
      logVerbosity: number,
      terminate: boolean,
      tag: number,
    ): number;
    _OrtAddRunConfigEntry(options: number, key: number, value: number): number;
    _OrtReleaseRunOptions(options: number): void;
  };
}
