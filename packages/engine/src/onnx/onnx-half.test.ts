import { isLong } from "../../../../test/fixtures/long.ts";
import { createOnnxEngine } from "./onnx-engine.ts";
import { trainEngineContract } from "../contract/train-engine.contract.ts";

// Tolerances of numbers with eleven bits, measured on the contract's models, whose logits reach 20,
// plus half as much for other machines' summation orders.
const BUDGET = {
  outputs: { relative: 5e-3, absolute: 3e-2 },
  arranged: { relative: 1e-3, absolute: 1e-2 },
  gradients: 2.5e-2,
  norm: 2.3e-2,
  arrangedNorm: 5e-3,
  difference: 1e-2,
};

const SKIP = [
  {
    test: "backward gives PyTorch's gradients of every tensor (qwen2, full)",
    reason:
      "a key's bias shifts all scores of a query almost equally, so the terms of its gradient cancel and 3 % of the remainder is rounding",
  },
];

trainEngineContract({
  name: "the ONNX engine in f16",
  isSampled: true,
  skip: SKIP,
  budget: BUDGET,
  create: (options) =>
    createOnnxEngine({ ...options, device: "cpu", threads: 1, precision: "f16" }),
});

// `npm test` covers f16 in one graph, and layers in float32.
if (isLong()) {
  trainEngineContract({
    name: "the ONNX engine in f16, layer by layer",
    skip: SKIP,
    budget: BUDGET,
    create: (options) =>
      createOnnxEngine({
        ...options,
        device: "cpu",
        threads: 1,
        precision: "f16",
        checkpointing: "layer",
        tileLogits: 24,
      }),
  });
}
