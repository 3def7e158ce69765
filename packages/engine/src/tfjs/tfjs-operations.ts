/**
 * Operations whose built-in gradients are slow or missing on the WASM backend: a product with
 * `transposeA` or `transposeB` takes twice as long, and the gradient of a gather has no kernel.
 */
import * as tf from "@tensorflow/tfjs";

/** `x · weightᵀ`, x `[N, in]`, weight `[out, in]`; both get gradients. */
export function linear(x: tf.Tensor2D, weight: tf.Tensor2D): tf.Tensor2D {
  return linearOp(x, weight);
}

/** The same for a constant `weight`. */
export function frozenLinear(x: tf.Tensor2D, weight: tf.Tensor2D): tf.Tensor2D {
  const run = tf.customGrad((input, save) => {
    // tensors that are not saved are freed before gradients are computed
    (save as tf.GradSaveFunc)([weight]);
    return {
      value: tf.matMul(input as tf.Tensor2D, tf.transpose(weight)),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) =>
        tf.matMul(dy as tf.Tensor2D, saved[0] as tf.Tensor2D),
    };
  });
  return run(x) as tf.Tensor2D;
}

/** The same values, without a gradient. */
export function detached(x: tf.Tensor2D): tf.Tensor2D {
  const run = tf.customGrad((input) => ({
    value: tf.clone(input as tf.Tensor2D),
    gradFunc: (dy: tf.Tensor) => tf.zerosLike(dy),
  }));
  return run(x) as tf.Tensor2D;
}

/** Rows `[N, C]` of a matrix `[V, C]`. */
export function selectRows(matrix: tf.Tensor2D, ids: Int32Array): tf.Tensor2D {
  const indices = tf.tensor1d(ids, "int32");
  const run = tf.customGrad((table) => ({
    value: tf.gather(table as tf.Tensor2D, indices),
    gradFunc: (dy: tf.Tensor) => {
      return tf.matMul(tf.transpose(oneHotRows(ids, matrix.shape[0])), dy as tf.Tensor2D);
    },
  }));
  return run(matrix) as tf.Tensor2D;
}

/** `[N, size]` float32 with 1 at `ids[n]` in row n. */
export function oneHotRows(ids: Int32Array, size: number): tf.Tensor2D {
  // the WASM kernel writes integers whatever type it is asked for
  const hot = tf.oneHot(tf.tensor1d(ids, "int32"), size, 1, 0, "int32");
  return tf.cast(hot, "float32") as tf.Tensor2D;
}

/** Batched products: a `[G, M, K]`, b `[G, K, N]`. */
export function batchProduct(a: tf.Tensor3D, b: tf.Tensor3D): tf.Tensor3D {
  return batchProductOp(a, b);
}

const linearOp: (x: tf.Tensor2D, weight: tf.Tensor2D) => tf.Tensor2D = tf.customGrad(
  (x, weight, save) => {
    (save as tf.GradSaveFunc)([x as tf.Tensor, weight as tf.Tensor]);
    return {
      value: tf.matMul(x as tf.Tensor2D, tf.transpose(weight as tf.Tensor2D)),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const [input, matrix] = saved as [tf.Tensor2D, tf.Tensor2D];
        return [
          tf.matMul(dy as tf.Tensor2D, matrix),
          tf.matMul(tf.transpose(dy as tf.Tensor2D), input),
        ];
      },
    };
  },
) as (x: tf.Tensor2D, weight: tf.Tensor2D) => tf.Tensor2D;

const batchProductOp = tf.customGrad((a, b, save) => {
  (save as tf.GradSaveFunc)([a as tf.Tensor, b as tf.Tensor]);
  return {
    value: tf.matMul(a as tf.Tensor3D, b as tf.Tensor3D),
    gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
      const [left, right] = saved as [tf.Tensor3D, tf.Tensor3D];
      return [
        tf.matMul(dy as tf.Tensor3D, tf.transpose(right, [0, 2, 1])),
        tf.matMul(tf.transpose(left, [0, 2, 1]), dy as tf.Tensor3D),
      ];
    },
  };
}) as (a: tf.Tensor3D, b: tf.Tensor3D) => tf.Tensor3D;
