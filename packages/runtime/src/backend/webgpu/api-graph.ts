/**
 * Graphs through onnxruntime-web's JavaScript API, whose bundle includes the WebAssembly loader:
 * service workers cannot import one. Pages and their workers use `module-graph.ts`, a third of the
 * size.
 *
 * onnxruntime 1.30.0 enables capturing for a whole session and then requires every tensor bound
 * alike. An option that is true only when first read, at creation, gives sessions that capture runs
 * with a graph id of 0 or more and run the rest normally.
 */
import * as ort from "onnxruntime-web/webgpu";
import type { CreateWebgpuGraph, GpuOperand } from "./webgpu-graph.ts";

const TYPES = { f32: "float32", f16: "float16", i32: "int32", u8: "uint8" } as const satisfies {
  [type in GpuOperand["type"]]: string;
};

export const createApiGraph: CreateWebgpuGraph = async (model, device, captures) => {
  ort.env.logLevel = "error";
  ort.env.wasm.numThreads = 1;
  const options: ort.InferenceSession.SessionOptions = {
    executionProviders: [{ name: "webgpu", device }],
    preferredOutputLocation: "gpu-buffer",
  };
  if (captures) captureOnce(options);
  const session = await ort.InferenceSession.create(model, options);
  return {
    async run(inputs, outputs, graphId) {
      const runOptions = { extra: { gpu_graph_id: String(graphId) } };
      await session.run(tensorsOf(inputs), tensorsOf(outputs), runOptions);
    },
    release: () => session.release(),
  };
};

/** Makes `enableGraphCapture` true when first read, and false afterwards. */
function captureOnce(options: ort.InferenceSession.SessionOptions): void {
  let reads = 0;
  Object.defineProperty(options, "enableGraphCapture", {
    enumerable: true,
    get: () => (reads++ === 0 ? true : undefined),
  });
}

function tensorsOf(operands: readonly GpuOperand[]): { [name: string]: ort.Tensor } {
  return Object.fromEntries(
    operands.map(({ name, type, shape, value }) => [
      name,
      typeof value === "number"
        ? new ort.Tensor("int32", Int32Array.of(value), shape)
        : ort.Tensor.fromGpuBuffer(value, { dataType: TYPES[type], dims: [...shape] }),
    ]),
  );
}
