/** Per-token outputs from logits, in TensorFlow.js and differentiable: the reference's head. */
import * as tf from "@tensorflow/tfjs";
import type { Microbatch } from "../batch/microbatch.ts";
import { candidateLogProbs } from "./tfjs-candidates.ts";
import { oneHotRows } from "./tfjs-operations.ts";

/** Names of outputs, in the order of the port. */
export const OUTPUT_NAMES = ["logProb", "rawLogProb", "entropy", "sumSquaredProb"] as const;

/** `[N]` each, N the positions of the microbatch. Only asked rows are meaningful. */
export type OutputTensors = { readonly [name in (typeof OUTPUT_NAMES)[number]]: tf.Tensor1D } & {
  /** `[Q]`, in the order of `candidateLogProbs`; absent without candidates. */
  readonly candidates?: tf.Tensor1D;
};

/** Added to logits outside a kept set; exp of it is 0 in float32. */
const NOT_KEPT = -1e30;

/** Call inside `tf.tidy`. */
export function tokenOutputs(logits: tf.Tensor2D, microbatch: Microbatch): OutputTensors {
  const [positions, vocabulary] = logits.shape;
  const targets = new Int32Array(positions);
  for (const [k, target] of microbatch.targets.entries()) {
    targets[microbatch.rows[k] as number] = target;
  }
  const taken = oneHotRows(targets, vocabulary);
  const ofTaken = (logProbs: tf.Tensor2D): tf.Tensor1D => tf.sum(tf.mul(logProbs, taken), -1);
  const rawLogProbs = tf.logSoftmax(logits);
  const logProbs = tf.logSoftmax(sampledFrom(logits, microbatch));
  const probs = tf.exp(logProbs);
  const candidates = candidateLogProbs(rawLogProbs, microbatch);
  return {
    logProb: ofTaken(logProbs),
    rawLogProb: ofTaken(rawLogProbs),
    entropy: tf.neg(tf.sum(tf.mul(probs, logProbs), -1)),
    sumSquaredProb: tf.sum(tf.square(probs), -1),
    ...(candidates === null ? {} : { candidates }),
  };
}

/** Logits under each row's temperature and kept set. */
function sampledFrom(logits: tf.Tensor2D, microbatch: Microbatch): tf.Tensor2D {
  const { inverseTemperatures, keptTokenIds } = microbatch;
  const rows = microbatch.rows.subarray(0, microbatch.targets.length);
  const [positions, vocabulary] = logits.shape;
  let result = logits;
  if (inverseTemperatures !== null) {
    const factors = new Float32Array(positions).fill(1);
    for (const [k, row] of rows.entries()) factors[row] = inverseTemperatures[k] as number;
    result = tf.mul(result, tf.tensor2d(factors, [positions, 1]));
  }
  if (keptTokenIds !== null) {
    const mask = new Float32Array(positions * vocabulary);
    for (const [k, row] of rows.entries()) {
      const kept = keptTokenIds[k];
      if (kept === null || kept === undefined) continue;
      mask.fill(NOT_KEPT, row * vocabulary, (row + 1) * vocabulary);
      for (const id of kept) mask[row * vocabulary + id] = 0;
    }
    result = tf.add(result, tf.tensor2d(mask, [positions, vocabulary]));
  }
  return result;
}
