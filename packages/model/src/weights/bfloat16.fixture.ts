/** The float32 that bfloat16 bits stand for, one by one: what tests compare faster conversions with. */
export function bfloat16ToFloat32(half: number): number {
  return new Float32Array(Uint32Array.of(half << 16).buffer)[0] as number;
}
