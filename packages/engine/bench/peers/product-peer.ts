/**
 * The fastest matrix product of an onnxruntime provider: `product-peer.ts <provider> <size>`. A step is
 * a chain of equal products and nothing else; it has no gradients.
 */
import { OnnxGraphBuilder } from "@waggle/model";
import { openOnnxDevice } from "../../src/onnx/onnx-device.ts";
import type { OnnxProvider } from "../../src/onnx/onnx-device.ts";
import { chainLength } from "../product-chain.ts";
import { servePeer } from "./peer-service.ts";

const [, , provider, size] = process.argv;
const device = await openOnnxDevice(provider as OnnxProvider, 2);
const n = Number(size);
const builder = new OnnxGraphBuilder();
builder.input("x", "f32", [n, n]);
builder.input("w", "f32", [n, n]);
let product = "x";
for (let link = 0; link < chainLength(n); link++) product = builder.op("Gemm", [product, "w"]);
const corner = [0, 1].map((begin) => builder.ints([begin, begin])) as [string, string];
builder.node("Slice", [product, ...corner], { outputs: ["y"] });
builder.output("y", "f32", [1, 1]);
const session = await device.createSession(builder.build());
// A sum of n products with 1/n stays 1/n, far from overflow and from denormal numbers.
const feed = device.tensor({ data: new Float32Array(n * n).fill(1 / n), shape: [n, n] });

await servePeer({
  label: `${n}³ ${device.label}`,
  gradients: async () => [],
  step: async () => {
    await session.run({ x: feed, w: feed });
  },
});
