/** Copies arrays of this process to tensors of the device and back. */
import * as tf from "@tensorflow/tfjs";
import type { TensorMap } from "@waggle/protocol";

/** Reads a tensor and disposes of it. The caller owns the array. */
export async function read(tensor: tf.Tensor): Promise<Float32Array> {
  const values = Float32Array.from(await tensor.data());
  tensor.dispose();
  return values;
}

/** Uploads tensors and keeps them through an enclosing `tf.tidy`. The caller disposes of them. */
export function upload(tensors: TensorMap): Map<string, tf.Tensor> {
  return new Map(
    Array.from(tensors, ([name, { shape, data }]) => [
      name,
      // a copy, because some backends keep the array they are given
      tf.keep(tf.tensor(data.slice(), [...shape])),
    ]),
  );
}
