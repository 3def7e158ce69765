/** Converts float16 from and to float32, and float32 to bfloat16. Rounds to nearest, ties to even. */

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

const F16_BIAS = 15;
/** float32 bits of infinity; of 65520, which rounds to float16's infinity; of 2^-14. */
const F32_INFINITY = 0x7f800000;
const F16_OVERFLOW = 0x477ff000;
const F16_SMALLEST_NORMAL = 0x38800000;
/** Its last place in float32 is 2^-24, the unit of float16's subnormal numbers. */
const F16_SUBNORMAL_UNIT = 0.5;
const F16_SUBNORMAL_UNIT_BITS = 0x3f000000;

export function float32ToBfloat16(value: number): number {
  float[0] = value;
  const word = bits[0] as number;
  if (Number.isNaN(value)) return (word >>> 16) | 0x40; // quiet NaN: rounding could turn it into infinity
  return ((word + 0x7fff + ((word >>> 16) & 1)) >>> 16) & 0xffff;
}

export function float16ToFloat32(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - F16_BIAS);
}

/** The float16 bits of a number. */
export function float32ToFloat16(value: number): number {
  float[0] = value;
  const word = bits[0] as number;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > F32_INFINITY) return 0x7e00;
  if (magnitude >= F16_OVERFLOW) return sign | 0x7c00;
  if (magnitude < F16_SMALLEST_NORMAL) {
    // the last place of the sum is float16's, so the addition rounds and leaves the units there
    float[0] = Math.abs(value) + F16_SUBNORMAL_UNIT;
    return sign | ((bits[0] as number) - F16_SUBNORMAL_UNIT_BITS);
  }
  // a carry out of the fraction increments the exponent
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - ((127 - F16_BIAS) << 23)) >>> 13);
}

/** Every float16 as float32, created on first use: 256 KB, 20 times faster than arithmetic. */
let float16Table: Float32Array | null = null;

/** Converts float16 bits to numbers. */
export function fromFloat16Bits(halves: Uint16Array): Float32Array {
  float16Table ??= Float32Array.from({ length: 0x10000 }, (_, half) => float16ToFloat32(half));
  const data = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) data[i] = float16Table[halves[i] as number] as number;
  return data;
}

/** Whether float16 bits include infinity or NaN, as after conversion of numbers beyond 65504. */
export function hasOverflowed(halves: Uint16Array): boolean {
  return halves.some((half) => (half & 0x7c00) === 0x7c00);
}

/**
 * Converts many numbers to float16 bits; a plain loop is ten times faster than `Uint16Array.from`.
 */
export function toFloat16Bits(values: Float32Array): Uint16Array {
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) halves[i] = float32ToFloat16(values[i] as number);
  return halves;
}

/** Converts many numbers to bfloat16 bits. */
export function toBfloat16Bits(values: Float32Array): Uint16Array {
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) halves[i] = float32ToBfloat16(values[i] as number);
  return halves;
}
