/** An adapter, a perturbation, and the hash of the perturbed B. Tests in Node and in browsers compare with it. */
import { type Perturbation, seededRandom, type TensorMap } from "@waggle/protocol";

const numbers = (count: number, seed: number): Float32Array => {
  const random = seededRandom(seed);
  return Float32Array.from({ length: count }, () => random() - 0.5);
};

export const TENSORS: TensorMap = new Map([
  ["model.layers.0.mlp.up_proj.lora_A.weight", { shape: [4, 64], data: numbers(256, 1) }],
  ["model.layers.0.mlp.up_proj.lora_B.weight", { shape: [512, 4], data: numbers(2048, 2) }],
]);
export const PERTURBATION: Perturbation = { policyVersion: 3, seed: 5, direction: 1, scale: 0.1 };
export const PERTURBED_SHA256: string =
  "ace09ddbe04bd5cc39f5e235d6a7e6b76531cefd46c52d34975e8b537f02cdbf";
