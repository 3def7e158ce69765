/**
 * The weights and sums of a softmax over a row of logits in float64, two at a time: a WebAssembly
 * function, because every recorded token costs one softmax over the vocabulary. All of its
 * arithmetic is defined, so the same row gives the same bits in every browser.
 *
 * A weight is e^x, x = (logit − largest) / temperature ≤ 0, with a relative error of at most (5 +
 * |x|) · 2^−52: x is split into a multiple of ln 2 / 256, whose power is looked up, and a rest of
 * at most 0.0014, for which five terms suffice. So sums over 100,000 logits have relative errors
 * below 1e-11, and log-probs are off by less than 1e-11 nats.
 */
import { kernelModule, wasm } from "@waggle/model";
import type { Instructions } from "@waggle/model";

/** The exponentials of a row: weight(i) = e^((logit(i) − maxLogit) / temperature). */
export type Weighing = {
  readonly maxLogit: number;
  /** Sum of the weights. */
  readonly sum: number;
  /** Σ weight · log weight. */
  readonly weightedLogs: number;
};

/** Powers of 2 by 256ths; memory has them first, then the three results, the row, and its weights. */
const PARTS = 256;
const RESULTS = 8 * PARTS;
const ROW = RESULTS + 32;
/** Logits that are read at a time; a row is padded with −Infinity. */
const LANES = 4;

type Weigh = (rowEnd: number, weights: number, perTemperature: number) => void;

export class SoftmaxKernel {
  readonly #weigh: Weigh;
  readonly #memory: WebAssembly.Memory;
  #results: Float64Array;
  #capacity = 0;
  /** Write logits here before `weigh`. Valid until the next `reserve`. */
  row: Float32Array;
  /** Weights of the row weighed last, in order. Valid until the next `reserve`. */
  weights: Float64Array;

  constructor() {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()));
    this.#weigh = exports["weigh"] as Weigh;
    this.#memory = exports["memory"] as WebAssembly.Memory;
    const powers = Float64Array.from({ length: PARTS }, (_, part) => powerOf2(part / PARTS));
    new Float64Array(this.#memory.buffer, 0, PARTS).set(powers);
    this.#results = this.weights = new Float64Array(0);
    this.row = new Float32Array(0);
    this.reserve(LANES);
  }

  /** Makes room for rows of this many logits. */
  reserve(count: number): void {
    if (count <= this.#capacity) return;
    const capacity = Math.ceil(count / LANES) * LANES;
    const missing = ROW + 12 * capacity - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / 65_536));
    const { buffer } = this.#memory;
    this.#results = new Float64Array(buffer, RESULTS, 3);
    this.row = new Float32Array(buffer, ROW, capacity);
    this.weights = new Float64Array(buffer, ROW + 4 * capacity, capacity);
    this.#capacity = capacity;
  }

  /**
   * Weighs the first `count` logits of the row.
   *
   * @returns a sum of NaN if a logit is NaN or +Infinity, or all are −Infinity; `maxLogit` ignores
   *   NaN.
   */
  weigh(count: number, temperature: number): Weighing {
    const read = LANES * Math.max(1, Math.ceil(count / LANES));
    for (let i = count; i < read; i++) this.row[i] = Number.NEGATIVE_INFINITY;
    this.#weigh(ROW + 4 * read, ROW + 4 * this.#capacity, 1 / temperature);
    const results = this.#results;
    return {
      maxLogit: results[0] as number,
      sum: results[1] as number,
      weightedLogs: results[2] as number,
    };
  }
}

/** By a series, whose operations IEEE 754 defines, unlike those of `Math.pow`. */
function powerOf2(exponent: number): number {
  let power = 1;
  for (let term = 20; term > 0; term--) power = 1 + (power * exponent * Math.LN2) / term;
  return power;
}

/** Below this a weight is 0; the smallest normal number is e^−708.4. */
const LOWEST = -708;
/** Added to a number below 2^51, leaves the nearest integer in the lowest bits. */
const TO_WHOLE = 1.5 * 2 ** 52;
/** ln 2 / 256 as two numbers, so that integer multiples of the first are exact. */
const PART_HIGH = Math.fround(Math.LN2 / PARTS);
const PART_LOW = Math.LN2 / PARTS - PART_HIGH + 2.319_046_813_846_299_6e-17 / PARTS;

/** Constants of the loop, each in a vector. */
const CONSTANTS = {
  lowest: LOWEST,
  partsPerNat: PARTS / Math.LN2,
  toWhole: TO_WHOLE,
  high: PART_HIGH,
  low: PART_LOW,
  one: 1,
  half: 1 / 2,
  sixth: 1 / 6,
  twentyFourth: 1 / 24,
};

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const { f32, f64, get, i32, set, simd } = wasm;
  // Parameters, then locals: two addresses, the rest vectors.
  const [ROW_END, WEIGHTS, PER_TEMPERATURE, PLACE, VECTORS] = [0, 1, 2, 3, 4];
  const [MAX, SCALE, X, SHIFTED, REST, WEIGHT, SUM, OTHER_SUM, LOGS, OTHER_LOGS] = Array.from(
    { length: 10 },
    (_, index) => VECTORS + index,
  ) as [number, number, number, number, number, number, number, number, number, number];
  const constants = Object.keys(CONSTANTS) as (keyof typeof CONSTANTS)[];
  const constant = (name: keyof typeof CONSTANTS): Instructions =>
    get(OTHER_LOGS + 1 + constants.indexOf(name));

  const add = (a: Instructions, b: Instructions): Instructions => simd(0xf0, [a, b]);
  const subtract = (a: Instructions, b: Instructions): Instructions => simd(0xf1, [a, b]);
  const multiply = (a: Instructions, b: Instructions): Instructions => simd(0xf2, [a, b]);
  /** Both take the second operand if it is larger, so never if it is NaN. */
  const larger4 = (a: Instructions, b: Instructions): Instructions => simd(0xeb, [a, b]);
  const larger = (a: Instructions, b: Instructions): Instructions => simd(0xf7, [a, b]);

  const spread = [
    ...set(SCALE, simd(0x14, [get(PER_TEMPERATURE)])),
    ...constants.flatMap((name, index) =>
      set(OTHER_LOGS + 1 + index, simd(0x14, [f64(CONSTANTS[name])])),
    ),
  ];
  /** Compares each lane with the one this many bytes further. */
  const fold = (bytes: number): Instructions => {
    const order = Array.from({ length: 16 }, (_, byte) => (byte + bytes) % 16);
    return set(MAX, larger4(get(MAX), simd(0x0d, [get(MAX), get(MAX)], order)));
  };
  const findMaximum = [
    ...set(MAX, simd(0x13, [f32(Number.NEGATIVE_INFINITY)])),
    ...set(PLACE, i32(ROW)),
    ...wasm.countUp(PLACE, 16, ROW_END, [
      ...set(MAX, larger4(get(MAX), simd(0x00, [get(PLACE)], wasm.at(0)))),
    ]),
    ...fold(8),
    ...fold(4),
    ...set(MAX, simd(0x5f, [get(MAX)])),
  ];

  /** The address of a lane's power: its 256ths are in the lowest bits. */
  const powerAt = (lane: number): Instructions => [
    ...simd(0x1b, [get(SHIFTED)], [lane]),
    ...i32(PARTS - 1),
    0x71, // and
    ...i32(3),
    0x74, // shift left
  ];
  const series = (["twentyFourth", "sixth", "half", "one", "one"] as const)
    .map(constant)
    .reduce((inner, term) => add(term, multiply(get(REST), inner)));
  const pair = (index: number, sum: number, logs: number): Instructions => {
    const logits = simd(0x5f, [simd(0x5d, [get(PLACE)], wasm.at(8 * index))]);
    const powers = simd(
      0x57,
      [powerAt(2), simd(0x5d, [powerAt(0)], wasm.at(0))],
      [...wasm.at(0), 1],
    );
    // Moves the bits above the 256ths to those of the exponent.
    const exponents = simd(0xcb, [
      simd(0x4e, [get(SHIFTED), simd(0x12, [wasm.i64(-PARTS)])]),
      i32(52 - Math.log2(PARTS)),
    ]);
    return [
      ...set(X, multiply(subtract(logits, get(MAX)), get(SCALE))),
      ...set(SHIFTED, add(multiply(get(X), constant("partsPerNat")), constant("toWhole"))),
      ...set(REST, subtract(get(SHIFTED), constant("toWhole"))),
      ...set(
        REST,
        subtract(
          subtract(get(X), multiply(get(REST), constant("high"))),
          multiply(get(REST), constant("low")),
        ),
      ),
      ...set(
        WEIGHT,
        simd(0x4f, [
          multiply(simd(0xce, [powers, exponents]), series),
          simd(0x4b, [get(X), constant("lowest")]),
        ]),
      ),
      ...get(WEIGHTS),
      ...simd(0x0b, [get(WEIGHT)], wasm.at(16 * index)),
      ...set(sum, add(get(sum), get(WEIGHT))),
      ...set(logs, add(get(logs), multiply(get(WEIGHT), larger(get(X), constant("lowest"))))),
    ];
  };
  const weigh = [
    ...set(PLACE, i32(ROW)),
    ...wasm.countUp(PLACE, 16, ROW_END, [
      ...pair(0, SUM, LOGS),
      ...pair(1, OTHER_SUM, OTHER_LOGS),
      ...set(WEIGHTS, [...get(WEIGHTS), ...i32(32), 0x6a]),
    ]),
  ];
  const result = (index: number, vector: number, other: number | null): Instructions => {
    const both = other === null ? get(vector) : add(get(vector), get(other));
    const lane = (place: number): Instructions => simd(0x21, [both], [place]);
    const value = other === null ? lane(0) : [...lane(0), ...lane(1), 0xa0];
    return [...i32(0), ...value, 0x39, ...wasm.at(RESULTS + 8 * index)];
  };
  const kernel = {
    name: "weigh",
    parameters: ["i32", "i32", "f64"],
    locals: ["i32", ...Array<"v128">(10 + constants.length).fill("v128")],
    body: [
      ...spread,
      ...findMaximum,
      ...weigh,
      ...result(0, MAX, null),
      ...result(1, SUM, OTHER_SUM),
      ...result(2, LOGS, OTHER_LOGS),
    ],
  } as const;
  return kernelModule([kernel], 1);
}
