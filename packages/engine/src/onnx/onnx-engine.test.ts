import { sampleSize } from "../../../../test/fixtures/long.ts";
import { createOnnxEngine } from "./onnx-engine.ts";
import { trainEngineContract } from "../contract/train-engine.contract.ts";

trainEngineContract({
  name: "the ONNX engine",
  // Two threads wait for each other on a busy machine, so `npm test` uses one; the WebAssembly engine uses two.
  create: (options) => createOnnxEngine({ ...options, threads: sampleSize(1, 2) }),
});
