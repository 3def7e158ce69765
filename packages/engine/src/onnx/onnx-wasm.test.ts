import { createOnnxEngine } from "./onnx-engine.ts";
import { trainEngineContract } from "../contract/train-engine.contract.ts";

trainEngineContract({
  name: "the ONNX engine on WebAssembly",
  isSampled: true,
  create: (options) => createOnnxEngine({ ...options, device: "wasm", threads: 2 }),
});
