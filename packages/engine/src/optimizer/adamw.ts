/**
 * AdamW on plain float32 arrays, shared by all engines, so that they differ only in gradients.
 * Source: Loshchilov and Hutter 2019, Decoupled Weight Decay Regularization, arXiv:1711.05101,
 * algorithm 2 with the learning rate as schedule multiplier, as in PyTorch.
 * Differs from it: only matrices decay, not the gains of norms; value heads may have their own
 * learning rate.
 */
import { updateArrays } from "./adamw-kernel.ts";
import type { MuonSlot } from "./muon.ts";
import { VALUE_HEAD } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { OptimizerOptions, OptimizerResult, Tensor, TensorMap } from "@waggle/protocol";

const PARAMETER = "parameters/";
const FIRST_MOMENT = "firstMoments/";
const SECOND_MOMENT = "secondMoments/";

const HEADS: ReadonlySet<string> = new Set(Object.values(VALUE_HEAD));

type Slot = {
  readonly name: string;
  readonly parameter: Tensor;
  readonly firstMoment: Float32Array;
  readonly secondMoment: Float32Array;
};

/** Moments and step count for parameters, which it updates in place. */
export class AdamW {
  readonly #slots: readonly Slot[];
  #step = 0;

  /** @param parameters owned by the caller; `update` and `restore` write into their data. */
  constructor(parameters: TensorMap) {
    this.#slots = Array.from(parameters, ([name, parameter]) => ({
      name,
      parameter,
      firstMoment: new Float32Array(parameter.data.length),
      secondMoment: new Float32Array(parameter.data.length),
    }));
  }

  /**
   * Takes one step.
   * @param gradients by parameter name; a missing one counts as zero.
   * @param except parameters that the caller updates, after this; their gradients count in the norm.
   * @throws WaggleError `NON_FINITE_VALUE` when a gradient is not finite; then nothing has changed.
   */
  update(
    gradients: ReadonlyMap<string, Float32Array>,
    options: OptimizerOptions,
    except: (name: string, parameter: Tensor) => boolean = () => false,
  ): OptimizerResult {
    const { learningRate, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8 } = options;
    const { valueLearningRate = learningRate } = options;
    const { weightDecay = 0, maxGradientNorm = 0 } = options;
    const gradientNorm = globalNorm(gradients);
    const scale = clipScale(gradientNorm, maxGradientNorm);
    this.#step += 1;
    const rootCorrection = Math.sqrt(1 - beta2 ** this.#step);
    const factors = {
      beta1,
      beta2,
      gain1: (1 - beta1) * scale,
      gain2: (1 - beta2) * scale * scale,
      epsilon: epsilon * rootCorrection,
    };
    for (const { name, parameter, firstMoment, secondMoment } of this.#slots) {
      if (except(name, parameter)) continue;
      const { data, shape } = parameter;
      const gradient = gradients.get(name) ?? new Float32Array(data.length);
      const rate = HEADS.has(name) ? valueLearningRate : learningRate;
      const keep = shape.length > 1 ? 1 - rate * weightDecay : 1;
      // √v/c + epsilon in the paper; both are divided by 1/c here.
      const stepSize = (rate / (1 - beta1 ** this.#step)) * rootCorrection;
      const arrays = { parameter: data, gradient, firstMoment, secondMoment };
      updateArrays(arrays, { ...factors, stepSize, keep });
    }
    return { gradientNorm, step: this.#step };
  }

  /** Parameters with their first moment, which another update rule may use as its momentum. */
  moments(chosen: (name: string, parameter: Tensor) => boolean): MuonSlot[] {
    return this.#slots
      .filter(({ name, parameter }) => chosen(name, parameter))
      .map(({ name, parameter, firstMoment }) => ({ name, parameter, momentum: firstMoment }));
  }

  /** Copies of parameters and moments, and the step. */
  checkpoint(): { readonly step: number; readonly tensors: TensorMap } {
    const tensors = new Map<string, Tensor>();
    for (const { key, tensor } of this.#entries()) {
      tensors.set(key, { shape: [...tensor.shape], data: tensor.data.slice() });
    }
    return { step: this.#step, tensors };
  }

  /**
   * Restores what `checkpoint` returned.
   * @throws WaggleError `CHECKPOINT_CORRUPT` on other names or shapes; then nothing has changed.
   */
  restore(checkpoint: { readonly step: number; readonly tensors: TensorMap }): void {
    const entries = this.#entries();
    const { step, tensors } = checkpoint;
    if (!Number.isInteger(step) || step < 0) {
      throw corrupt(`the step must be an integer of at least 0, got ${step}`);
    }
    if (tensors.size !== entries.length) {
      throw corrupt(`the checkpoint has ${tensors.size} tensors instead of ${entries.length}`);
    }
    for (const { key, tensor } of entries) {
      const saved = tensors.get(key);
      const shape = tensor.shape.join(", ");
      if (
        saved === undefined ||
        saved.shape.join(", ") !== shape ||
        saved.data.length !== tensor.data.length
      ) {
        throw corrupt(
          `${key} must have shape [${shape}], got ${saved ? `[${saved.shape.join(", ")}]` : "nothing"}`,
        );
      }
    }
    for (const { key, tensor } of entries) {
      tensor.data.set((tensors.get(key) as Tensor).data);
    }
    this.#step = step;
  }

  #entries(): { readonly key: string; readonly tensor: Tensor }[] {
    return this.#slots.flatMap(({ name, parameter, firstMoment, secondMoment }) => [
      { key: PARAMETER + name, tensor: parameter },
      { key: FIRST_MOMENT + name, tensor: { shape: parameter.shape, data: firstMoment } },
      { key: SECOND_MOMENT + name, tensor: { shape: parameter.shape, data: secondMoment } },
    ]);
  }
}

/** Factor that limits gradients of this norm to `limit`; 0 is no limit. */
export function clipScale(norm: number, limit: number): number {
  return limit > 0 && norm > limit ? limit / norm : 1;
}

/**
 * L2 norm over all gradients, summed in f64.
 * @throws WaggleError `NON_FINITE_VALUE` naming the first gradient that is not finite.
 */
export function globalNorm(gradients: ReadonlyMap<string, Float32Array>): number {
  let total = 0;
  for (const [name, gradient] of gradients) {
    const sum = sumOfSquares(gradient);
    if (!Number.isFinite(sum)) {
      throw new WaggleError(
        "NON_FINITE_VALUE",
        `the gradient of ${name} has NaN or infinity; gradients were dropped; lower the learning rate or check the loss`,
      );
    }
    total += sum;
  }
  return Math.sqrt(total);
}

/** Uses four partial sums, because each addition to a single one would wait for the previous one. */
function sumOfSquares(values: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = values.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    a += (values[i] as number) ** 2;
    b += (values[i + 1] as number) ** 2;
    c += (values[i + 2] as number) ** 2;
    d += (values[i + 3] as number) ** 2;
  }
  for (let i = whole; i < values.length; i++) a += (values[i] as number) ** 2;
  return a + b + c + d;
}

function corrupt(fact: string): WaggleError {
  return new WaggleError(
    "CHECKPOINT_CORRUPT",
    `${fact}; load a checkpoint of the same model and training mode`,
  );
}
