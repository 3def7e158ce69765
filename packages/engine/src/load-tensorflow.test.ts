import { expect, test } from "vitest";
import { loadTensorflow } from "./load-tensorflow.ts";

const notFound = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /engine.js`), {
    code: "ERR_MODULE_NOT_FOUND",
  });

test("a reference device without TensorFlow.js is refused with the command that installs it", async () => {
  for (const name of ["@tensorflow/tfjs", "@tensorflow/tfjs-backend-wasm"]) {
    await expect(loadTensorflow(() => Promise.reject(notFound(name)))).rejects.toMatchObject({
      code: "DEVICE_UNAVAILABLE",
      message: expect.stringMatching(
        /npm install @tensorflow\/tfjs@4 @tensorflow\/tfjs-backend-wasm@4/,
      ),
    });
  }
});

test("other import errors pass through, and so does the imported module", async () => {
  const other = notFound("onnxruntime-node");
  await expect(loadTensorflow(() => Promise.reject(other))).rejects.toBe(other);
  expect(await loadTensorflow(() => Promise.resolve("loaded"))).toBe("loaded");
});
