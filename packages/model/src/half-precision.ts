/** float16 and bfloat16 bits to and from float32. Rounds to nearest, ties to even. */

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Smallest normal and subnormal exponents of float16. */
const F16_BIAS = 15;

export function bfloat16ToFloat32(half: number): number {
  bits[0] = half << 16;
  return float[0] as number;
}

export function float32ToBfloat16(value: number): number {
  float[0] = value;
  const word = bits[0] as number;
  if (Number.isNaN(value)) return (word >>> 16) | 0x40; // quiet: rounding could turn it to infinity
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

export function float32ToFloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 0x7c00; // rounds past the largest finite, 65504
  const exponent = Math.max(Math.floor(Math.log2(magnitude || 1e-30)), -14);
  // in units of the last place; a carry out of the fraction moves into the exponent by addition
  const units = roundHalfEven(magnitude / 2 ** (exponent - 10));
  return sign | (units < 1024 ? units : ((exponent + F16_BIAS) << 10) + (units - 1024));
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
