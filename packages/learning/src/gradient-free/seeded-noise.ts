/**
 * Normal noise for a whole model from one integer seed, so that a perturbation is sent as a number. Each tensor
 * has its own stream by name, so the order of tensors does not matter. Not cryptographic.
 *
 * Source: Box and Muller 1958.
 */
import { namedRandom, type Perturbation, type TensorMap } from "@waggle/protocol";

/** `[n]` standard normal numbers for a seed and a tensor's name, in single precision. */
export function seededNormals(seed: number, name: string, length: number): Float32Array {
  const next = namedRandom(seed, name);
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

/** Whether pages perturb a tensor: B of each linear. A stays, so that the product changes in proportion to the noise. */
export function movesInPages(tensor: string): boolean {
  return !tensor.includes("lora_A");
}

/** An adapter's tensors with the noise that the edge gave to a page. */
export function withPerturbation(
  tensors: TensorMap,
  { seed, direction, scale }: Perturbation,
): TensorMap {
  const moved = new Map([...tensors].filter(([name]) => movesInPages(name)));
  return new Map([...tensors, ...perturbed(moved, seed, direction * scale)]);
}
