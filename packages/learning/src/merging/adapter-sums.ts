/**
 * Merges low-rank adapters without their base model. Averaging the factors does not average the changes
 * (B₁A₁ + B₂A₂ ≠ (B₁+B₂)(A₁+A₂)). Stacking the factors does, and the ranks add up.
 *
 * Source: Hu et al. 2021, "LoRA", arXiv:2106.09685; stacking as PEFT's `cat` combination.
 */
import type { Tensor, TensorMap } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

const DOWN = ".lora_A.weight";
const UP = ".lora_B.weight";

/**
 * One adapter whose change is exactly Σ weight · change. Names as in PEFT; A is `[r, in]`, B is `[out, r]`.
 *
 * @param adapters - `scaling` is alpha / r of each. The result's scaling is 1: alpha equals its rank.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` if they do not adapt the same modules.
 */
export function adapterSum(
  adapters: readonly {
    readonly parameters: TensorMap;
    readonly scaling: number;
    readonly weight: number;
  }[],
): TensorMap {
  const modules = new Set(
    adapters.flatMap(({ parameters }) =>
      [...parameters.keys()].map((name) => name.replace(DOWN, "").replace(UP, "")),
    ),
  );
  const sum = new Map<string, Tensor>();
  for (const module of modules) {
    const downs = adapters.map(({ parameters }) => matrixOf(parameters, module + DOWN));
    const ups = adapters.map(({ parameters }) => matrixOf(parameters, module + UP));
    const rank = downs.reduce((total, { shape }) => total + (shape[0] as number), 0);
    const width = downs[0]?.shape[1] as number;
    const height = ups[0]?.shape[0] as number;
    if (
      downs.some(({ shape }) => shape[1] !== width) ||
      ups.some(({ shape }) => shape[0] !== height)
    ) {
      throw incompatible(module);
    }
    sum.set(module + DOWN, {
      shape: [rank, width],
      data: Float32Array.from(downs.flatMap(({ data }) => Array.from(data))),
    });
    const up = new Float32Array(height * rank);
    for (let row = 0; row < height; row += 1) {
      let column = row * rank;
      for (const [k, { shape, data }] of ups.entries()) {
        const own = shape[1] as number;
        const { scaling, weight } = adapters[k] as (typeof adapters)[number];
        for (let j = 0; j < own; j += 1) {
          up[column] = scaling * weight * (data[row * own + j] as number);
          column += 1;
        }
      }
    }
    sum.set(module + UP, { shape: [height, rank], data: up });
  }
  return sum;
}

function matrixOf(parameters: TensorMap, name: string): Tensor {
  const tensor = parameters.get(name);
  if (tensor?.shape.length !== 2) throw incompatible(name);
  return tensor;
}

function incompatible(name: string): WaggleError {
  return new WaggleError(
    "ADAPTER_INCOMPATIBLE",
    `the adapters differ at ${name.slice(0, 96)}; merge adapters of one base model with the same modules and sizes`,
  );
}
