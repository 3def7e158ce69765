/**
 * The arithmetic of one AdamW update, four numbers at a time: a WebAssembly function of a few
 * instructions, written out here because it is too small for a compiler. Arrays pass through its
 * memory in pieces that stay in the processor's cache. Float32 throughout, as in PyTorch.
 */

/** Floats of one array that are in the function's memory at a time: 4 · 32 KiB in all. */
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

export type AdamWArrays = {
  readonly parameter: Float32Array;
  readonly gradient: Float32Array;
  readonly firstMoment: Float32Array;
  readonly secondMoment: Float32Array;
};

type Update = (bytes: number, ...factors: number[]) => void;

let kernel: { readonly update: Update; readonly pieces: readonly Float32Array[] } | undefined;

/** Updates parameter and moments in place; all four arrays are of one length. */
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

/** Numbers of the core specification 2.0, section 5.4 (instructions) and 5.5 (modules). */
function moduleBytes(): Uint8Array<ArrayBuffer> {
  const [I32, F32, V128] = [0x7f, 0x7d, 0x7b];
  const FACTORS = 7;
  // Parameters: bytes, then the factors. Locals: the offset, the factors four times, then g, m, v.
  const OFFSET = 1 + FACTORS;
  const [BETA1, BETA2, GAIN1, GAIN2, KEEP, STEP, EPSILON, G, M, V] = Array.from(
    { length: FACTORS + 3 },
    (_, index) => OFFSET + 1 + index,
  ) as [number, number, number, number, number, number, number, number, number, number];
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const simd = (code: number): number[] => [0xfd, ...leb(code)];
  const at = (array: number): number[] => [4, ...leb(4 * PIECE * array)];
  const load = (array: number): number[] => [...get(OFFSET), ...simd(0x00), ...at(array)];
  const store = (array: number, value: number[]): number[] => [
    ...get(OFFSET),
    ...value,
    ...simd(0x0b),
    ...at(array),
  ];
  const binary =
    (code: number) =>
    (a: number[], b: number[]): number[] => [...a, ...b, ...simd(code)];
  const [add, subtract, multiply, divide] = [0xe4, 0xe5, 0xe6, 0xe7].map(binary) as [
    ReturnType<typeof binary>,
    ReturnType<typeof binary>,
    ReturnType<typeof binary>,
    ReturnType<typeof binary>,
  ];
  const root = (value: number[]): number[] => [...value, ...simd(0xe3)];

  const spread = Array.from({ length: FACTORS }, (_, index) => [
    ...get(1 + index),
    ...simd(0x13),
    ...set(BETA1 + index),
  ]).flat();
  const update = [
    ...load(1),
    ...set(G),
    ...add(multiply(get(BETA1), load(2)), multiply(get(GAIN1), get(G))),
    ...set(M),
    ...add(multiply(get(BETA2), load(3)), multiply(get(GAIN2), multiply(get(G), get(G)))),
    ...set(V),
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
  // offset += 16; again while it is below bytes (unsigned).
  const next = [...get(OFFSET), 0x41, 16, 0x6a, 0x22, OFFSET, ...get(0), 0x49, 0x0d, 0];
  const body = [...spread, 0x03, 0x40, ...update, ...next, 0x0b, 0x0b];
  const locals = [2, 1, I32, FACTORS + 3, V128];
  const code = [...locals, ...body];

  const section = (id: number, content: number[]): number[] => [
    id,
    ...leb(content.length),
    ...content,
  ];
  const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];
  const pages = Math.ceil((4 * 4 * PIECE) / 65_536);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1 + FACTORS, I32, ...Array<number>(FACTORS).fill(F32), 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, pages, pages]),
    ...section(7, [2, ...name("update"), 0, 0, ...name("memory"), 2, 0]),
    ...section(10, [1, ...leb(code.length), ...code]),
  ]);
}

/** Unsigned LEB128. */
function leb(value: number): number[] {
  const rest = value >>> 7;
  return rest === 0 ? [value] : [(value & 0x7f) | 0x80, ...leb(rest)];
}
