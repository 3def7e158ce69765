import type { InferenceSession, Tensor } from "onnxruntime-node";
import { expect, test } from "vitest";
import type { AnyTensor } from "../onnx-tensor.ts";
import { ResidentTensors } from "./resident-tensors.ts";

/** A device that counts the bytes copied to it and the tensors it holds. */
function countingDevice() {
  const counts = { crossed: 0, held: 0, sessions: 0 };
  const resident = new ResidentTensors({
    wrap: (tensor) => tensor as unknown as Tensor,
    open: async () => {
      counts.sessions += 1;
      const session = {
        run: async ({ x }: { x: AnyTensor }) => {
          counts.crossed += x.data.byteLength;
          counts.held += 1;
          return { y: { numbers: [...x.data], dispose: () => (counts.held -= 1) } };
        },
        release: async () => (counts.sessions -= 1),
      };
      return session as unknown as InferenceSession;
    },
  });
  return { counts, resident };
}

const tensorOf = (...values: number[]): AnyTensor => ({
  shape: [values.length],
  data: Float32Array.from(values),
});

test("a kept tensor is copied to the device once, and again after it changed", async () => {
  const { counts, resident } = countingDevice();
  const tensor = tensorOf(1, 2, 3);
  resident.keep([tensor]);
  expect(counts.crossed).toBe(0);
  const [first, second] = await Promise.all([resident.get(tensor), resident.get(tensor)]);
  expect(second).toBe(first);
  expect(counts).toEqual({ crossed: 12, held: 1, sessions: 1 });
  tensor.data[0] = 7;
  expect(await resident.get(tensor)).toMatchObject({ numbers: [1, 2, 3] });
  await resident.changed([tensor]);
  expect(counts.held).toBe(0);
  expect(await resident.get(tensor)).toMatchObject({ numbers: [7, 2, 3] });
  expect(counts).toEqual({ crossed: 24, held: 1, sessions: 1 });
});

test("a dropped tensor is no longer kept, and dispose frees everything", async () => {
  const { counts, resident } = countingDevice();
  const tensors = [tensorOf(1), tensorOf(2), { shape: [2], data: Uint8Array.of(1, 2) }];
  resident.keep(tensors);
  for (const tensor of tensors) await resident.get(tensor);
  expect(counts).toEqual({ crossed: 10, held: 3, sessions: 2 });
  await resident.drop(tensors.slice(0, 1));
  expect(tensors.map((tensor) => resident.isKept(tensor))).toEqual([false, true, true]);
  expect(counts.held).toBe(2);
  await resident.dispose();
  expect(counts).toEqual({ crossed: 10, held: 0, sessions: 0 });
});
