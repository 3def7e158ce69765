/**
 * The arithmetic of one AdamW update, four numbers at a time, as a small WebAssembly function
 * assembled by hand. Arrays are processed in pieces that fit into the CPU's cache. Float32
 * throughout, as in PyTorch.
 */
import { kernelModule, wasm } from "@waggle/model";
import type { Instructions } from "@waggle/model";

/** Floats of one array in the function's memory at a time: 4 · 32 KiB in all. */
const PIECE = 8192;

/** θ ← keep·θ − stepSize·m / (√v + epsilon), with m ← beta1·m + gain1·g and v ← beta2·v + gain2·g². */
export type AdamWFactors = {
  readonly beta1: number;
  readonly beta2: number;
  /** (1 − beta1)·c for gradients clipped by c. */
  readonly gain1: number;
  /** (1 − beta2)·c². */
  readonly gain2: number;
  readonly keep: number;
  readonly stepSize: number;
  readonly epsilon: number;
};

/** The arrays of one parameter, all of one length. */
export type AdamWArrays = {
  readonly parameter: Float32Array;
  readonly gradient: Float32Array;
  readonly firstMoment: Float32Array;
  readonly secondMoment: Float32Array;
};

type Update = (bytes: number, ...factors: number[]) => void;

let kernel: { readonly update: Update; readonly pieces: readonly Float32Array[] } | undefined;

/** Updates parameter and moments in place. All four arrays have one length. */
export function updateArrays(arrays: AdamWArrays, factors: AdamWFactors): void {
  const { update, pieces } = (kernel ??= instantiate());
  const [theta, slope, first, second] = pieces as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const { parameter, gradient, firstMoment, secondMoment } = arrays;
  const { beta1, beta2, gain1, gain2, keep, stepSize, epsilon } = factors;
  for (let start = 0; start < parameter.length; start += PIECE) {
    const end = Math.min(start + PIECE, parameter.length);
    theta.set(parameter.subarray(start, end));
    slope.set(gradient.subarray(start, end));
    first.set(firstMoment.subarray(start, end));
    second.set(secondMoment.subarray(start, end));
    update(4 * (end - start), beta1, beta2, gain1, gain2, keep, stepSize, epsilon);
    const count = end - start;
    parameter.set(count === PIECE ? theta : theta.subarray(0, count), start);
    firstMoment.set(count === PIECE ? first : first.subarray(0, count), start);
    secondMoment.set(count === PIECE ? second : second.subarray(0, count), start);
  }
}

function instantiate(): NonNullable<typeof kernel> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()));
  const { buffer } = exports["memory"] as WebAssembly.Memory;
  const pieces = [0, 1, 2, 3].map((place) => new Float32Array(buffer, 4 * PIECE * place, PIECE));
  return { update: exports["update"] as Update, pieces };
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const { at, countUp, get, i32, set, simd } = wasm;
  const FACTORS = 7;
  // Parameters: bytes, then the factors. Locals: offset, the factors as vectors, then g, m, v.
  const BYTES = 0;
  const OFFSET = 1 + FACTORS;
  const [BETA1, BETA2, GAIN1, GAIN2, KEEP, STEP, EPSILON, G, M, V] = Array.from(
    { length: FACTORS + 3 },
    (_, index) => OFFSET + 1 + index,
  ) as [number, number, number, number, number, number, number, number, number, number];
  const place = (array: number): Instructions => at(4 * PIECE * array);
  const load = (array: number): Instructions => simd(0x00, [get(OFFSET)], place(array));
  const store = (array: number, value: Instructions): Instructions =>
    simd(0x0b, [get(OFFSET), value], place(array));
  const binary =
    (code: number) =>
    (a: Instructions, b: Instructions): Instructions =>
      simd(code, [a, b]);
  const [add, subtract, multiply, divide] = [0xe4, 0xe5, 0xe6, 0xe7].map(binary) as [
    ReturnType<typeof binary>,
    ReturnType<typeof binary>,
    ReturnType<typeof binary>,
    ReturnType<typeof binary>,
  ];
  const root = (value: Instructions): Instructions => simd(0xe3, [value]);

  const spread = Array.from({ length: FACTORS }, (_, index) =>
    set(BETA1 + index, simd(0x13, [get(1 + index)])),
  ).flat();
  const update = [
    ...set(G, load(1)),
    ...set(M, add(multiply(get(BETA1), load(2)), multiply(get(GAIN1), get(G)))),
    ...set(V, add(multiply(get(BETA2), load(3)), multiply(get(GAIN2), multiply(get(G), get(G))))),
    ...store(2, get(M)),
    ...store(3, get(V)),
    ...store(
      0,
      subtract(
        multiply(get(KEEP), load(0)),
        divide(multiply(get(STEP), get(M)), add(root(get(V)), get(EPSILON))),
      ),
    ),
  ];
  const kernel = {
    name: "update",
    parameters: ["i32", ...Array<"f32">(FACTORS).fill("f32")],
    locals: ["i32", ...Array<"v128">(FACTORS + 3).fill("v128")],
    body: [...spread, ...set(OFFSET, i32(0)), ...countUp(OFFSET, 16, BYTES, update)],
  } as const;
  return kernelModule([kernel], Math.ceil((4 * 4 * PIECE) / 65_536));
}
