/**
 * Where ONNX graphs run: one of onnxruntime's providers, opened and named. It makes sessions and
 * wraps arrays; it knows nothing of training. Which provider is chosen is `onnx-device-choice.ts`.
 */
import { OnnxGraphBuilder } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { requireCuda } from "./cuda-libraries.ts";
import { MatrixProducts } from "./matrix-products.ts";
import { webGpuAdapter } from "./webgpu-adapter.ts";

/**
 * `cpu`: native code. `cuda`: native, where its libraries are installed. `webgpu`: native over Dawn.
 * `wasm`: WebAssembly with threads, where there is no native library.
 */
export type OnnxProvider = "cpu" | "cuda" | "webgpu" | "wasm";

/** Element types of what graphs are fed; the data of float16 is its bits. */
export type OnnxTensorType = "float32" | "float16" | "int32" | "int64" | "uint8";

export type OnnxDevice = {
  readonly provider: OnnxProvider;
  /** For reports: `onnx native cpu x2`, `onnx webgpu google/swiftshader`. */
  readonly label: string;
  /**
   * Whether SimplifiedLayerNormalization writes its second output, 1/√(mean x² + epsilon). The
   * WebGPU kernel of onnxruntime 1.30 leaves it as it finds it.
   */
  readonly savesNormScale: boolean;
  /** What float16 products are here: `rounded` is right and slower than float32's. */
  readonly halfProducts: "f16" | "rounded";
  readonly createSession: (bytes: Uint8Array) => Promise<InferenceSession>;
  /** Wraps an array that onnxruntime reads in place, or copies when it runs. */
  readonly tensor: (
    type: OnnxTensorType,
    data: Float32Array | Uint16Array | Int32Array | BigInt64Array | Uint8Array,
    shape: readonly number[],
  ) => Tensor;
};

/**
 * How long a native thread without work looks for some before it sleeps. Waking it takes as long as a
 * short node; spinning without a limit takes the cores from whatever shares them (pages, the edge
 * Worker, the other thread): 2 to 3 times slower on two busy cores.
 */
const SPIN_MICROSECONDS = 20;

/**
 * Opens a provider.
 * @param threads of one graph on `cpu` and `wasm`. WebAssembly's are those of its first opening in a
 *   process; the label says how many.
 * @throws WaggleError `DEVICE_UNAVAILABLE` where it does not start.
 */
export async function openOnnxDevice(provider: OnnxProvider, threads: number): Promise<OnnxDevice> {
  switch (provider) {
    case "cpu":
      return openNative(provider, `onnx native cpu x${threads}`, threads);
    case "cuda":
      requireCuda();
      // Products in TF32 have ten bits: too few for gradients that are compared at 1e-4.
      process.env["NVIDIA_TF32_OVERRIDE"] ??= "0";
      return openNative(provider, "onnx cuda", threads);
    case "webgpu":
      return openWebGpu(threads);
    case "wasm":
      return openWasm(threads);
  }
}

async function openWebGpu(threads: number): Promise<OnnxDevice> {
  const adapter = await webGpuAdapter();
  if (adapter === undefined) {
    throw unavailable("webgpu", "no adapter");
  }
  return openNative("webgpu", `onnx webgpu ${adapter.name}`, threads);
}

async function openNative(
  provider: "cpu" | "cuda" | "webgpu",
  label: string,
  threads: number,
): Promise<OnnxDevice> {
  // The native library reports usage to its maker unless told not to; read at its first session.
  process.env["ORT_DISABLE_TELEMETRY"] ??= "1";
  const { InferenceSession, Tensor } = await import("onnxruntime-node");
  const options: InferenceSession.SessionOptions = {
    executionProviders: [provider],
    ...sessionOptions(threads, {
      allow_spinning: "1",
      spin_duration_us: `${SPIN_MICROSECONDS}`,
    }),
  };
  const device: OnnxDevice = {
    provider,
    label,
    savesNormScale: provider !== "webgpu",
    halfProducts: provider === "cpu" ? "rounded" : "f16",
    createSession: (bytes) => InferenceSession.create(bytes, options),
    tensor: (type, data, shape) => {
      const tensor = new Tensor(type, data, shape);
      // Tensor makes a Float16Array of the bits, which this binding reads as nothing
      if (type === "float16") Object.defineProperty(tensor, "data", { value: data });
      return tensor;
    },
  };
  if (provider !== "cpu") await probe(device);
  return device;
}

async function openWasm(threads: number): Promise<OnnxDevice> {
  const { env, InferenceSession, Tensor } = await import("onnxruntime-web");
  env.wasm.numThreads ??= threads;
  const options: InferenceSession.SessionOptions = {
    executionProviders: ["wasm"],
    // a limited spin changes nothing here
    ...sessionOptions(threads, { allow_spinning: "0" }),
  };
  const device: OnnxDevice = {
    provider: "wasm",
    label: `onnx wasm x${env.wasm.numThreads}`,
    savesNormScale: true,
    halfProducts: "rounded",
    createSession: (bytes) => InferenceSession.create(bytes, options),
    tensor: (type, data, shape) => new Tensor(type, data, shape),
  };
  await probe(device);
  return device;
}

function sessionOptions(
  threads: number,
  waiting: { readonly allow_spinning: string; readonly spin_duration_us?: string },
): InferenceSession.SessionOptions {
  return {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    // Same time, 40 % less memory where shapes change from run to run.
    enableMemPattern: false,
    extra: { session: { intra_op: waiting } },
    logSeverityLevel: 3,
  };
}

/**
 * Makes sure that the device computes with float16 numbers and that overflow shows, as the scale of
 * gradients and the check of outputs go by it: WGSL leaves open what becomes of numbers past 65504.
 * @throws WaggleError `CAPABILITY_MISSING` where it does not.
 */
export async function requireHalf(device: OnnxDevice): Promise<void> {
  const builder = new OnnxGraphBuilder();
  const products = new MatrixProducts(builder, device.halfProducts);
  builder.input("x", "f32", ["N", 2]);
  products.hold("weight", builder.input("weight", "f16", [1, 2]));
  products.product("x", "weight", { transB: 1, output: "y" });
  builder.output("y", "f32", ["N", 1]);
  // weights 1 and 256; 1 + 2⁻¹² becomes 1; the last two leave the range before and in the product
  const weight = Uint16Array.of(0x3c00, 0x5c00);
  const x = Float32Array.of(1, 2, 1 + 2 ** -12, 0, 1e5, 0, 0, -300);
  let values: string;
  try {
    const session = await device.createSession(builder.build());
    const outputs = await session.run({
      x: device.tensor("float32", x, [4, 2]),
      weight: device.tensor("float16", weight, [1, 2]),
    });
    values = String(outputs["y"]?.data);
    await session.release();
  } catch (error) {
    values = error instanceof Error ? error.message.slice(0, 300) : String(error);
  }
  if (values === "513,1,Infinity,-Infinity") return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `${device.label} must compute in f16, got ${values} for 513, 1, Infinity, -Infinity; use precision and base "f32", or the device "cpu", which rounds to f16 and computes in f32`,
  );
}

/** Runs one product: a provider that is listed may still lack its libraries or its device. */
async function probe({ provider, createSession, tensor }: OnnxDevice): Promise<void> {
  const builder = new OnnxGraphBuilder();
  builder.input("x", "f32", [2, 2]);
  builder.node("MatMul", ["x", "x"], { outputs: ["y"] });
  builder.output("y", "f32", [2, 2]);
  let values: unknown;
  try {
    const session = await createSession(builder.build());
    const outputs = await session.run({
      x: tensor("float32", Float32Array.of(1, 2, 3, 4), [2, 2]),
    });
    values = outputs["y"]?.data;
    await session.release();
  } catch (error) {
    throw unavailable(
      provider,
      error instanceof Error ? error.message.slice(0, 300) : String(error),
    );
  }
  if (String(values) !== "7,10,15,22")
    throw unavailable(provider, `a product of ${String(values)}`);
}

function unavailable(provider: OnnxProvider, value: string): WaggleError {
  return new WaggleError(
    "DEVICE_UNAVAILABLE",
    `the ${provider} provider of onnxruntime must start, got ${value}; install its driver or use the device "cpu"`,
  );
}
