/**
 * Graphs through the C functions of onnxruntime's WebGPU provider.
 * Source of the options' names: onnxruntime 1.30, webgpu_provider_options.h and
 * onnxruntime_run_options_config_keys.h.
 */
import type { OrtWebgpuModule } from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs";
import { LOCATION } from "../ort-module.ts";
import type { OrtModule } from "../ort-module.ts";
import type { SharedStepsClass } from "./shared-steps.ts";
import type { CreateWebgpuGraph, GpuOperand, WebgpuGraph } from "./webgpu-graph.ts";
import { webgpuModule } from "./webgpu-module.ts";

const WARNINGS = 2;

/** @throws WaggleError `DEVICE_UNAVAILABLE`, `MODEL_UNSUPPORTED`, `OUT_OF_MEMORY`. */
export const createModuleGraph: CreateWebgpuGraph = async (model, device, captures) => {
  const ort = await webgpuModule();
  const options = ort.createOptions(false);
  const [deviceId, instance, handle] = ort.module.webgpuRegisterDevice(device);
  let session = 0;
  try {
    await appendProvider(ort, options, {
      deviceId,
      webgpuInstance: instance,
      webgpuDevice: handle,
      ...(captures && { enableGraphCapture: 1 }),
    });
    session = await ort.createSession({ model, externalData: [] }, options);
  } finally {
    if (!ort.isLost) ort.module.webgpuOnCreateSession(session);
  }
  return new ModuleGraph(ort, session);
};

class ModuleGraph implements WebgpuGraph {
  readonly #ort: OrtModule<OrtWebgpuModule>;
  readonly #session: number;
  /** Addresses of names. */
  readonly #names = new Map<string, number>();
  /** Identifiers of buffers in tensors. */
  readonly #buffers = new Map<GPUBuffer, number>();
  /** Handles of run options by graph id. */
  readonly #runOptions = new Map<number, number>();

  constructor(ort: OrtModule<OrtWebgpuModule>, session: number) {
    this.#ort = ort;
    this.#session = session;
  }

  async run(
    inputs: readonly GpuOperand[],
    outputs: readonly GpuOperand[],
    graphId: number,
  ): Promise<void> {
    const ort = this.#ort;
    const options = this.#optionsOf(graphId);
    const names = [...inputs, ...outputs].map(({ name }) => this.#nameOf(name));
    const handles: number[] = [];
    const onHost: number[] = [];
    let table = 0;
    try {
      for (const { type, shape, value } of [...inputs, ...outputs]) {
        if (typeof value === "number") {
          const at = ort.allocate(4);
          onHost.push(at);
          ort.module.setValue(at, value, "i32");
          handles.push(ort.createTensor(type, shape, at, LOCATION.cpu));
        } else {
          handles.push(ort.createTensor(type, shape, this.#bufferOf(value), LOCATION.gpuBuffer));
        }
      }
      table = ort.pointers([...names, ...handles]);
      const values = table + 4 * names.length;
      const skipped = 4 * inputs.length;
      await ort.callAndWait("run", (m) =>
        m._OrtRun(
          this.#session,
          table,
          values,
          inputs.length,
          table + skipped,
          outputs.length,
          values + skipped,
          options,
        ),
      );
    } finally {
      ort.releaseTensors(handles);
      for (const address of [...onHost, table]) ort.free(address);
    }
  }

  async loadBranches(): Promise<SharedStepsClass> {
    return (await import("./branch-steps.ts")).BranchSteps;
  }

  async release(): Promise<void> {
    const ort = this.#ort;
    if (ort.isLost) return;
    for (const buffer of this.#buffers.keys()) ort.module.webgpuUnregisterBuffer(buffer);
    for (const name of this.#names.values()) ort.free(name);
    for (const options of this.#runOptions.values()) {
      ort.guard((m) => m._OrtReleaseRunOptions(options));
    }
    ort.module.webgpuOnReleaseSession(this.#session);
    ort.releaseSession(this.#session);
  }

  #nameOf(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const address = this.#ort.text(name);
    this.#names.set(name, address);
    return address;
  }

  #bufferOf(buffer: GPUBuffer): number {
    const known = this.#buffers.get(buffer);
    if (known !== undefined) return known;
    const id = this.#ort.module.webgpuRegisterBuffer(buffer, this.#session);
    this.#buffers.set(buffer, id);
    return id;
  }

  #optionsOf(graphId: number): number {
    const known = this.#runOptions.get(graphId);
    if (known !== undefined) return known;
    const ort = this.#ort;
    const options = ort.guard((m) => m._OrtCreateRunOptions(WARNINGS, 0, false, 0));
    const [key, value] = [ort.text("gpu_graph_id"), ort.text(`${graphId}`)];
    ort.call("take run options", (m) => m._OrtAddRunConfigEntry(options, key, value));
    for (const address of [key, value]) ort.free(address);
    this.#runOptions.set(graphId, options);
    return options;
  }
}

async function appendProvider(
  ort: OrtModule<OrtWebgpuModule>,
  options: number,
  settings: { readonly [name: string]: number },
): Promise<void> {
  const entries = Object.entries(settings);
  const texts = ["WebGPU", ...entries.flat().map(String)].map((text) => ort.text(text));
  const [provider = 0, ...words] = texts;
  const table = ort.pointers([
    ...words.filter((_, index) => index % 2 === 0),
    ...words.filter((_, index) => index % 2 === 1),
  ]);
  await ort.callAndWait("take the WebGPU provider", (m) =>
    m._OrtAppendExecutionProvider(
      options,
      provider,
      table,
      table + 4 * entries.length,
      entries.length,
    ),
  );
  for (const address of [...texts, table]) ort.free(address);
}
