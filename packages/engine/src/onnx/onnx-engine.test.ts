import { createOnnxEngine } from "./onnx-engine.ts";
import { trainEngineContract } from "../contract/train-engine.contract.ts";

trainEngineContract({
  name: "the ONNX engine",
  create: (options) => createOnnxEngine({ ...options, threads: 2 }),
});
