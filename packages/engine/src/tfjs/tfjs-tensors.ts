/** Arrays of this process to and from tensors of the device. */
import * as tf from "@tensorflow/tfjs";
import type { TensorMap } from "@waggle/protocol";

/** Values of a tensor that is not needed after. The array is the caller's. */
export async function read(tensor: tf.Tensor): Promise<Float32Array> {
  const values = Float32Array.from(await tensor.data());
  tensor.dispose();
  return values;
}

/** Kept through an enclosing `tf.tidy`: whoever asks for them disposes of them. */
export function upload(tensors: TensorMap): Map<string, tf.Tensor> {
  return new Map(
    Array.from(tensors, ([name, { shape, data }]) => [
      name,
      // a copy: some backends keep the array they are given
      tf.keep(tf.tensor(data.slice(), [...shape])),
    ]),
  );
}
