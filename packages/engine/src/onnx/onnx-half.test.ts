import { isLong } from "../../../../test/fixtures/long.ts";
import { createOnnxEngine } from "./onnx-engine.ts";
import { trainEngineContract } from "../contract/train-engine.contract.ts";

// Eleven bits a number: measured at the contract's own models, whose logits are up to 20; half as much
// again for other machines' orders of sums.
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
      "a key's bias moves the scores of a query nearly alike: of its gradient the products cancel, and 3 % of what is left is rounding",
  },
];

trainEngineContract({
  name: "the ONNX engine in f16",
  skip: SKIP,
  budget: BUDGET,
  create: (options) =>
    createOnnxEngine({ ...options, device: "cpu", threads: 1, precision: "f16" }),
});

// `npm test` has f16 in whole graphs, and layers in float32.
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
