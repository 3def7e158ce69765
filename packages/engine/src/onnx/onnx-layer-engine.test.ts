import { createOnnxEngine } from "./onnx-engine.ts";
import { trainEngineContract } from "../contract/train-engine.contract.ts";

// Tiles of 24 logits, so that every softmax spans several tiles.
trainEngineContract({
  name: "the ONNX engine, layer by layer",
  isSampled: true,
  create: (options) =>
    createOnnxEngine({
      ...options,
      device: "cpu",
      threads: 1,
      checkpointing: "layer",
      tileLogits: 24,
    }),
});
