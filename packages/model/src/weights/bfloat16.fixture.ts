/** Converts bfloat16 bits one by one, as a reference for faster conversions. Tests only. */
export function bfloat16ToFloat32(half: number): number {
  return new Float32Array(Uint32Array.of(half << 16).buffer)[0] as number;
}
