/**
 * Value heads of a decoder: H numbers per token, linear in the hidden state after the final norm.
 * Names and shapes are those of Transformers' `…ForTokenClassification` (`score`), which other
 * trainers use for their critics.
 */
import { WaggleError, splitmix32, standardNormal } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { DecoderConfig } from "./decoder-config.ts";
import type { ParameterShape } from "../parameter-shape.ts";
import { sameShape } from "../shape.ts";

/** Names of the tensors. */
export const VALUE_HEAD = { weight: "score.weight", bias: "score.bias" } as const;

/** `score.weight` `[H, C]` and `score.bias` `[H]`. */
export type ValueHead = { readonly heads: number; readonly tensors: TensorMap };

/** Transformers' `initializer_range`. */
const DEVIATION = 0.02;

/**
 * Fresh heads: normal weights, biases 0. Seeded.
 *
 * @param options.deviation - standard deviation of the weights, default 0.02; 0 starts all values at 0.
 */
export function initializeValueHead(
  config: Pick<DecoderConfig, "width">,
  options: { readonly heads?: number; readonly seed: number; readonly deviation?: number },
): ValueHead {
  const { heads = 1, seed, deviation = DEVIATION } = options;
  if (!Number.isInteger(heads) || heads < 1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `heads must be a positive integer, got ${heads}; use one per return`,
    );
  }
  const random = splitmix32(seed);
  const weight = Float32Array.from({ length: heads * config.width }, () => {
    return deviation * standardNormal(random);
  });
  return {
    heads,
    tensors: new Map<string, Tensor>([
      [VALUE_HEAD.weight, { shape: [heads, config.width], data: weight }],
      [VALUE_HEAD.bias, { shape: [heads], data: new Float32Array(heads) }],
    ]),
  };
}

/** Names and shapes of the tensors of H heads, in their stable order. */
function valueHeadParameters(
  config: Pick<DecoderConfig, "width">,
  heads: number,
): ParameterShape[] {
  return [
    { name: VALUE_HEAD.weight, shape: [heads, config.width] },
    { name: VALUE_HEAD.bias, shape: [heads] },
  ];
}

/**
 * The tensors of heads in their stable order.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` if they are not heads for this decoder or a number is not
 *   finite.
 */
export function valueHeadTensors(
  { heads, tensors }: ValueHead,
  config: Pick<DecoderConfig, "width">,
): TensorMap {
  return new Map(
    valueHeadParameters(config, heads).map(({ name, shape }): [string, Tensor] => {
      const tensor = tensors.get(name);
      if (tensor === undefined || !sameShape(tensor.shape, shape)) {
        throw incompatible(
          `${name} must have shape [${shape.join(", ")}], got ${tensor ? `[${tensor.shape.join(", ")}]` : "nothing"}`,
        );
      }
      if (!tensor.data.every(Number.isFinite)) {
        throw incompatible(`${name} has NaN or infinity`);
      }
      return [name, tensor];
    }),
  );
}

function incompatible(fact: string): WaggleError {
  return new WaggleError("ADAPTER_INCOMPATIBLE", `${fact}; use the heads of this base model`);
}
