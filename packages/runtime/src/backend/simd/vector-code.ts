/**
 * A vocabulary for kernels in WebAssembly with 128-bit vectors. Every function returns instructions
 * that leave one value, unless it says otherwise.
 * Source: the SIMD and relaxed SIMD proposals, part of WebAssembly 3.0.
 */
import { wasm } from "@waggle/model";
import type { Instructions, KernelFunction, ValueType } from "@waggle/model";

const { at, get, i32, set, simd } = wasm;

/** Numbers of locals, by name. */
type Locals<P> = { readonly [name in keyof P]: number };

/** A kernel whose parameters have names. @param write - returns its instructions. */
export function kernel<P extends { readonly [name: string]: ValueType }>(
  name: string,
  parameters: P,
  write: (parameters: Locals<P>, local: (type: ValueType) => number) => Instructions,
): KernelFunction {
  const names = Object.keys(parameters);
  const numbers = Object.fromEntries(names.map((key, index) => [key, index])) as Locals<P>;
  const locals: ValueType[] = [];
  const body = write(numbers, (type) => names.length + locals.push(type) - 1);
  return { name, parameters: Object.values(parameters), locals, body };
}

/** Adds numbers of addresses or counters. */
export function plus(a: Instructions, b: Instructions): Instructions {
  return [...a, ...b, 0x6a];
}

export function times(a: Instructions, b: Instructions): Instructions {
  return [...a, ...b, 0x6c];
}

/** Adds a number of bytes to an address. Leaves nothing. */
export function advance(local: number, bytes: number | Instructions): Instructions {
  return set(local, plus(get(local), typeof bytes === "number" ? i32(bytes) : bytes));
}

/** Runs `body` as often as a local says, at least once, and leaves 0 in it. Leaves nothing. */
export function repeat(count: number, body: Instructions): Instructions {
  return [0x03, 0x40, ...body, ...advance(count, -1), ...get(count), 0x0d, 0, 0x0b];
}

/** 16 bytes of memory. */
export function load(address: number, offset: number): Instructions {
  return simd(0x00, [get(address)], at(offset));
}

/** 8 signed bytes of memory, as 16-bit numbers. */
export function loadBytes(address: number, offset: number): Instructions {
  return simd(0x01, [get(address)], at(offset));
}

/** A byte of memory in all lanes. */
export function spreadByte(address: number, offset: number): Instructions {
  return simd(0x07, [get(address)], at(offset));
}

/** A float32 number of memory in all lanes. */
export function spreadFloat(address: number, offset: number): Instructions {
  return simd(0x09, [get(address)], at(offset));
}

/** Leaves nothing. */
export function store(address: number, offset: number, value: Instructions): Instructions {
  return simd(0x0b, [get(address), value], at(offset));
}

/** Stores the sum of a vector's four numbers, times a factor if there is one. Leaves nothing. */
export function storeSum(
  address: number,
  offset: number,
  vector: number,
  factor?: number,
): Instructions {
  const lane = (index: number): Instructions => simd(0x1f, [get(vector)], [index]);
  const sum = [...lane(0), ...lane(1), 0x92, ...lane(2), ...lane(3), 0x92, 0x92];
  const scaled = factor === undefined ? sum : [...sum, ...get(factor), 0x94];
  return [...get(address), ...scaled, 0x38, ...at(offset)];
}

/** Sums of products of neighboring 16-bit numbers, as 32-bit numbers. */
export function dot(a: Instructions, b: Instructions): Instructions {
  return simd(0xba, [a, b]);
}

/** Sums of 32-bit integers. */
export function addInts(a: Instructions, b: Instructions): Instructions {
  return simd(0xae, [a, b]);
}

export function subtractBytes(a: Instructions, b: Instructions): Instructions {
  return simd(0x71, [a, b]);
}

/** The lower half of each byte. */
export function lowNibbles(bytes: Instructions): Instructions {
  return simd(0x4e, [bytes, simd(0x0c, [], Array<number>(16).fill(15))]);
}

/** The upper half of each byte. */
export function highNibbles(bytes: Instructions): Instructions {
  return simd(0x6d, [bytes, i32(4)]);
}

/** Bytes of two vectors in turn, from the first or the second half of both. */
export function interleave(a: Instructions, b: Instructions, half: 0 | 1): Instructions {
  const order = Array.from({ length: 16 }, (_, i) => 8 * half + (i >> 1) + 16 * (i % 2));
  return simd(0x0d, [a, b], order);
}

/** Signed bytes of the first or the second half, as 16-bit numbers. */
export function widenBytes(bytes: Instructions, half: 0 | 1): Instructions {
  return simd(0x87 + half, [bytes]);
}

/** Signed 16-bit numbers of the first or the second half, as 32-bit numbers. */
export function widenInts(ints: Instructions, half: 0 | 1): Instructions {
  return simd(0xa7 + half, [ints]);
}

/** 32-bit integers as float32 numbers. */
export function toFloats(ints: Instructions): Instructions {
  return simd(0xfa, [ints]);
}

export function multiply(a: Instructions, b: Instructions): Instructions {
  return simd(0xe6, [a, b]);
}

/** Four zeros. */
export const ZEROS: Instructions = simd(0x0c, [], Array<number>(16).fill(0));

/** A float32 number in all lanes. */
export function spread(value: Instructions): Instructions {
  return simd(0x13, [value]);
}

/** a · b + c. With relaxed instructions the product may stay unrounded, which is up to twice as fast. */
export type MultiplyAdd = (a: Instructions, b: Instructions, c: Instructions) => Instructions;

export const multiplyAdd: MultiplyAdd = (a, b, c) => simd(0xe4, [c, multiply(a, b)]);

export const relaxedMultiplyAdd: MultiplyAdd = (a, b, c) => simd(0x105, [a, b, c]);
