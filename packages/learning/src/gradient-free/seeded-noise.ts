/**
 * Normal noise for a whole model from one integer: whoever knows the seed can rebuild it, so a
 * perturbation is sent as a number. Each tensor has a stream of its own, by name, so their order does not
 * matter. Not for secrets.
 *
 * Source: Box and Muller 1958; the mixer is that of MurmurHash3 (Appleby, public domain).
 */
import type { TensorMap } from "@waggle/protocol";

/** `[n]` standard normal numbers for a seed and a tensor's name, in single precision. */
export function seededNormals(seed: number, name: string, length: number): Float32Array {
  const next = uniforms(seed, name);
  const normals = new Float32Array(length);
  for (let i = 0; i < length; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - next()));
    const angle = 2 * Math.PI * next();
    normals[i] = radius * Math.cos(angle);
    if (i + 1 < length) normals[i + 1] = radius * Math.sin(angle);
  }
  return normals;
}

/**
 * θ + scale · ε(seed).
 *
 * @param scale - the noise's standard deviation σ; negative for the mirrored perturbation.
 */
export function perturbed(parameters: TensorMap, seed: number, scale: number): TensorMap {
  return new Map(
    Array.from(parameters, ([name, { shape, data }]) => {
      const noise = seededNormals(seed, name, data.length);
      return [name, { shape, data: data.map((value, i) => value + scale * (noise[i] as number)) }];
    }),
  );
}

function uniforms(seed: number, name: string): () => number {
  let state = mix(Math.trunc(seed) ^ 0x9e3779b9);
  for (const char of name) state = mix(state ^ (char.codePointAt(0) ?? 0));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
}

function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) | 0;
}
