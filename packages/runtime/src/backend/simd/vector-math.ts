/** The parts of a decoder that work number by number. They take a small share of a step. */

/** RMSNorm of the numbers at index `from`, written to index `to`, which may be the same. */
export function rmsNorm(
  floats: Float32Array,
  from: number,
  to: number,
  weight: Float32Array,
  epsilon: number,
): void {
  let squares = 0;
  for (let i = 0; i < weight.length; i++) squares += (floats[from + i] as number) ** 2;
  const scale = 1 / Math.sqrt(squares / weight.length + epsilon);
  for (let i = 0; i < weight.length; i++) {
    floats[to + i] = (floats[from + i] as number) * scale * (weight[i] as number);
  }
}

/**
 * Rotates the pairs (i, i + D/2) of a head.
 *
 * @param row - index of the position's D/2 angles in the tables.
 */
export function rotate(
  floats: Float32Array,
  at: number,
  { cosines, sines }: { readonly cosines: Float32Array; readonly sines: Float32Array },
  row: number,
  half: number,
): void {
  for (let i = 0; i < half; i++) {
    const [cosine, sine] = [cosines[row + i] as number, sines[row + i] as number];
    const [low, high] = [floats[at + i] as number, floats[at + half + i] as number];
    floats[at + i] = low * cosine - high * sine;
    floats[at + half + i] = high * cosine + low * sine;
  }
}

/** silu(gate) · up, in place of gate. */
export function gated(floats: Float32Array, gate: number, up: number, count: number): void {
  for (let i = 0; i < count; i++) {
    const value = floats[gate + i] as number;
    floats[gate + i] = (value / (1 + Math.exp(-value))) * (floats[up + i] as number);
  }
}

/** Adds the numbers at index `from` to those at index `to`. */
export function addTo(floats: Float32Array, to: number, from: number, count: number): void {
  for (let i = 0; i < count; i++) {
    floats[to + i] = (floats[to + i] as number) + (floats[from + i] as number);
  }
}

/** Adds a bias to the numbers at an index. */
export function addBias(floats: Float32Array, to: number, bias: Float32Array): void {
  for (let i = 0; i < bias.length; i++) {
    floats[to + i] = (floats[to + i] as number) + (bias[i] as number);
  }
}
