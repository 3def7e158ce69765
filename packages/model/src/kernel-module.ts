/**
 * Assembles WebAssembly modules of a few functions and their own memory, for loops too small to need
 * a compiler. Does not validate; instantiation does.
 * Source: WebAssembly core specification 2.0, 5.3 (types), 5.4 (instructions), 5.5 (modules).
 */

/** The magic number and the version. */
const WASM_HEADER: readonly number[] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** Bytes of one or more instructions. */
export type Instructions = readonly number[];

const VALUE_TYPE = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;

export type ValueType = keyof typeof VALUE_TYPE;

/** A function that returns nothing. */
export type KernelFunction = {
  /** Its export name. */
  readonly name: string;
  readonly parameters: readonly ValueType[];
  /** Numbered after the parameters. */
  readonly locals: readonly ValueType[];
  readonly body: Instructions;
};

/**
 * The bytes of a module.
 *
 * @param pages - initial pages of 64 KiB of the memory, which may grow. It is exported as `memory`.
 */
export function kernelModule(
  functions: readonly KernelFunction[],
  pages: number,
): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [
    0x60,
    ...vector(parameters.map((type) => [VALUE_TYPE[type]])),
    0,
  ]);
  const bodies = functions.map(({ locals, body }) => {
    const code = [...vector(locals.map((type) => [1, VALUE_TYPE[type]])), ...body, 0x0b];
    return [...unsigned(code.length), ...code];
  });
  return Uint8Array.from([
    ...WASM_HEADER,
    ...section(1, types),
    ...section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(5, [[0, ...unsigned(pages)]]),
    ...section(7, [
      ...functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]),
      [...text("memory"), 2, 0],
    ]),
    ...section(10, bodies),
  ]);
}

function get(local: number): Instructions {
  return [0x20, ...unsigned(local)];
}

function set(local: number, value: Instructions): Instructions {
  return [...value, 0x21, ...unsigned(local)];
}

/** A vector instruction after its operands; `immediate` follows its code. */
function simd(
  code: number,
  operands: readonly Instructions[],
  immediate: Instructions = [],
): Instructions {
  return [...operands.flat(), 0xfd, ...unsigned(code), ...immediate];
}

/** The memory argument of a load or store: an offset added to its address. */
function at(offset: number): Instructions {
  return [0, ...unsigned(offset)];
}

function i32(value: number): Instructions {
  return [0x41, ...signed(value)];
}

function i64(value: number): Instructions {
  return [0x42, ...signed(value)];
}

function f32(value: number): Instructions {
  return [0x43, ...new Uint8Array(Float32Array.of(value).buffer)];
}

function f64(value: number): Instructions {
  return [0x44, ...new Uint8Array(Float64Array.of(value).buffer)];
}

/** Repeats `body` at least once, adding `step` to a local until it reaches another. */
function countUp(local: number, step: number, end: number, body: Instructions): Instructions {
  const next = [...get(local), ...i32(step), 0x6a, 0x22, ...unsigned(local)];
  return [0x03, 0x40, ...body, ...next, ...get(end), 0x49, 0x0d, 0, 0x0b];
}

/** Builds the instructions of a kernel. */
export const wasm: {
  readonly at: typeof at;
  readonly countUp: typeof countUp;
  readonly f32: typeof f32;
  readonly f64: typeof f64;
  readonly get: typeof get;
  readonly i32: typeof i32;
  readonly i64: typeof i64;
  readonly set: typeof set;
  readonly simd: typeof simd;
} = { at, countUp, f32, f64, get, i32, i64, set, simd };

function section(id: number, entries: readonly Instructions[]): Instructions {
  const content = vector(entries);
  return [id, ...unsigned(content.length), ...content];
}

function vector(entries: readonly Instructions[]): Instructions {
  return [...unsigned(entries.length), ...entries.flat()];
}

function text(value: string): Instructions {
  return [value.length, ...new TextEncoder().encode(value)];
}

/** LEB128 of a number of at most 32 bits. */
function unsigned(value: number): Instructions {
  const rest = value >>> 7;
  return rest === 0 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(rest)];
}

function signed(value: number): Instructions {
  const rest = value >> 6;
  return rest === 0 || rest === -1
    ? [value & 0x7f]
    : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
