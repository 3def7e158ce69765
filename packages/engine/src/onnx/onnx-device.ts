/**
 * One of onnxruntime's providers, opened and named: creates sessions and wraps arrays. Choosing a
 * provider is in `onnx-device-choice.ts`.
 */
import { OnnxGraphBuilder } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { requireCuda } from "./cuda-libraries.ts";
import { MatrixProducts } from "../graphs/matrix-products.ts";
import type { AnyTensor } from "../onnx-tensor.ts";
import { ResidentTensors } from "./resident-tensors.ts";
import { webGpuAdapter } from "./webgpu-adapter.ts";

/**
 * `cpu`: native code. `cuda`: native, where its libraries are installed. `webgpu`: native over Dawn.
 * `wasm`: WebAssembly with threads, where there is no native library.
 */
export type OnnxProvider = "cpu" | "cuda" | "webgpu" | "wasm";

/** An open provider. */
export type OnnxDevice = {
  readonly provider: OnnxProvider;
  /** Reported as the device, such as `onnx native cpu x2` or `onnx webgpu google/swiftshader`. */
  readonly label: string;
  /**
   * Whether SimplifiedLayerNormalization writes its second output, 1/√(mean x² + epsilon). The
   * WebGPU kernel of onnxruntime 1.30 does not.
   */
  readonly savesNormScale: boolean;
  /**
   * Whether FusedMatMul, Sum, LogSoftmax, BitwiseAnd and BitShift run here. The WebGPU provider of
   * onnxruntime 1.30 has no kernels for them and runs them on the CPU, with copies there and back.
   */
  readonly hasAllKernels: boolean;
  /**
   * How float16 products are computed: `rounded` gives the same numbers but is slower than float32.
   */
  readonly halfProducts: "f16" | "rounded";
  /** @param held an output to keep in device memory, where supported. */
  readonly createSession: (bytes: Uint8Array, held?: string) => Promise<InferenceSession>;
  /** Wraps an array that onnxruntime reads in place, or copies when it runs. */
  readonly tensor: (tensor: AnyTensor) => Tensor;
  /** Tensors kept in device memory; null on the CPU and where that is not supported. */
  readonly resident: ResidentTensors | null;
};

/**
 * How long an idle native thread spins before it sleeps. Waking it takes as long as a short node;
 * but unlimited spinning slows other processes on the same cores (pages, the edge Worker, other
 * threads): by 2 to 3 times on two busy cores.
 */
const SPIN_MICROSECONDS = 20;

/**
 * Opens a provider.
 * @param threads of one graph on `cpu` and `wasm`. WebAssembly uses the count of its first opening in
 *   the process; the label says how many.
 * @throws WaggleError `DEVICE_UNAVAILABLE` where it does not start.
 */
export async function openOnnxDevice(provider: OnnxProvider, threads: number): Promise<OnnxDevice> {
  switch (provider) {
    case "cpu":
      return openNative(provider, `onnx native cpu x${threads}`, threads);
    case "cuda":
      requireCuda();
      // TF32 products have ten bits of mantissa: too few for gradients compared at 1e-4.
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
  // The native library reports usage to Microsoft unless told not to. Read at the first session.
  process.env["ORT_DISABLE_TELEMETRY"] ??= "1";
  const { InferenceSession, Tensor } = await import("onnxruntime-node");
  const options: InferenceSession.SessionOptions = {
    executionProviders: [provider],
    ...sessionOptions(threads, {
      allow_spinning: "1",
      spin_duration_us: `${SPIN_MICROSECONDS}`,
    }),
  };
  const wrap = (tensor: AnyTensor): Tensor => {
    const { data, shape } = tensor;
    const wrapped = new Tensor(typeOf(tensor), data, shape);
    // Tensor turns the bits into a Float16Array, which this binding reads as empty
    if (wrapped.type === "float16") Object.defineProperty(wrapped, "data", { value: data });
    return wrapped;
  };
  const device: OnnxDevice = {
    provider,
    label,
    savesNormScale: provider !== "webgpu",
    hasAllKernels: provider !== "webgpu",
    halfProducts: provider === "cpu" ? "rounded" : "f16",
    createSession: (bytes, held) =>
      InferenceSession.create(
        bytes,
        provider === "webgpu" ? { ...withoutFallback(options), ...holding(held) } : options,
      ),
    tensor: wrap,
    // the binding of 1.30 cannot keep tensors on CUDA: outputs are copied back, inputs wrapped on
    // the host
    resident:
      provider === "webgpu"
        ? new ResidentTensors({
            wrap,
            open: (bytes, held) => InferenceSession.create(bytes, { ...options, ...holding(held) }),
          })
        : null,
  };
  if (provider !== "cpu") await probe(device);
  return device;
}

async function openWasm(threads: number): Promise<OnnxDevice> {
  const { env, InferenceSession, Tensor } = await import("onnxruntime-web");
  env.wasm.numThreads ??= threads;
  const options: InferenceSession.SessionOptions = {
    executionProviders: ["wasm"],
    // a spin limit has no effect here
    ...sessionOptions(threads, { allow_spinning: "0" }),
  };
  const device: OnnxDevice = {
    provider: "wasm",
    label: `onnx wasm x${env.wasm.numThreads}`,
    savesNormScale: true,
    hasAllKernels: true,
    halfProducts: "rounded",
    createSession: (bytes) => InferenceSession.create(bytes, options),
    tensor: (tensor) => new Tensor(typeOf(tensor), tensor.data, tensor.shape),
    resident: null,
  };
  await probe(device);
  return device;
}

/** onnxruntime's name of the element type; a Uint16Array is float16 bits. */
function typeOf({ data }: AnyTensor): "float32" | "float16" | "int32" | "int64" | "uint8" {
  if (data instanceof Float32Array) return "float32";
  if (data instanceof Uint16Array) return "float16";
  if (data instanceof Int32Array) return "int32";
  return data instanceof Uint8Array ? "uint8" : "int64";
}

function holding(held?: string): InferenceSession.SessionOptions {
  return held === undefined ? {} : { preferredOutputLocation: { [held]: "gpu-buffer" } };
}

/** Refuses nodes without a kernel on the device: on the CPU they cost copies there and back. */
function withoutFallback(
  options: InferenceSession.SessionOptions,
): InferenceSession.SessionOptions {
  const { session } = options.extra as { readonly session: object };
  return { ...options, extra: { session: { ...session, disable_cpu_ep_fallback: "1" } } };
}

function sessionOptions(
  threads: number,
  waiting: { readonly allow_spinning: string; readonly spin_duration_us?: string },
): InferenceSession.SessionOptions {
  return {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    // As fast, with 40 % less memory where shapes change from run to run.
    enableMemPattern: false,
    extra: { session: { intra_op: waiting } },
    logSeverityLevel: 3,
  };
}

/**
 * Checks that the device computes with float16 numbers and that overflow becomes infinity, which
 * gradient scaling and the check of outputs rely on. WGSL leaves numbers beyond 65504 undefined.
 * @throws WaggleError `CAPABILITY_MISSING` where it does not.
 */
export async function requireHalf(device: OnnxDevice): Promise<void> {
  const builder = new OnnxGraphBuilder();
  const products = new MatrixProducts(builder, device.halfProducts);
  builder.input("x", "f32", ["N", 2]);
  products.hold("weight", builder.input("weight", "f16", [1, 2]));
  products.product("x", "weight", { transB: 1, output: "y" });
  builder.output("y", "f32", ["N", 1]);
  // weights 1 and 256; 1 + 2⁻¹² rounds to 1; the last two overflow before and in the product
  const weight = Uint16Array.of(0x3c00, 0x5c00);
  const x = Float32Array.of(1, 2, 1 + 2 ** -12, 0, 1e5, 0, 0, -300);
  let values: string;
  try {
    const session = await device.createSession(builder.build());
    const outputs = await session.run({
      x: device.tensor({ data: x, shape: [4, 2] }),
      weight: device.tensor({ data: weight, shape: [1, 2] }),
    });
    values = String(outputs["y"]?.data);
    await session.release();
  } catch (error) {
    values = error instanceof Error ? error.message.slice(0, 300) : String(error);
  }
  if (values === "513,1,Infinity,-Infinity") return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `${device.label} does not compute in f16: a test gave ${values}, expected 513, 1, Infinity, -Infinity; use precision and base "f32", or the device "cpu", which rounds to f16 and computes in f32`,
  );
}

/** Runs one product, because an available provider may still lack its libraries or its device. */
async function probe({ provider, createSession, tensor }: OnnxDevice): Promise<void> {
  const builder = new OnnxGraphBuilder();
  builder.input("x", "f32", [2, 2]);
  builder.node("MatMul", ["x", "x"], { outputs: ["y"] });
  builder.output("y", "f32", [2, 2]);
  let values: unknown;
  try {
    const session = await createSession(builder.build());
    const outputs = await session.run({
      x: tensor({ data: Float32Array.of(1, 2, 3, 4), shape: [2, 2] }),
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
    `the ${provider} provider of onnxruntime could not start: ${value}; install its driver or use the device "cpu"`,
  );
}
