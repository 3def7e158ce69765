/** Requirements of the training engine. Pure data. */
import type { Requirement } from "./requirement.ts";

export const ENGINE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "engine:gradients",
    source: "test/golden/decoder/generate.py (PyTorch autograd, f64)",
    behavior:
      "Outputs and gradients of every tensor agree with PyTorch, norm-wise to 1e-4 in float32, and with central differences, in both engines on every provider. Resuming is bitwise exact.",
    tests: [
      "packages/engine/src/contract/train-engine-numbers.contract.ts > backward gives PyTorch's gradients of every tensor (${modelType}, ${trains})",
      "packages/engine/src/contract/train-engine-numbers.contract.ts > the gradient of ${output} equals central differences of the plain twin, every tensor (${config.modelType}, ${trains})",
      "packages/engine/src/contract/train-engine-training.contract.ts > training resumes from a checkpoint bit for bit (${trains})",
      "packages/engine/src/contract/train-engine-training.contract.ts > neither padding, order nor microbatches change outputs or gradients",
    ],
  },
  {
    id: "engine:model-types",
    source: "test/golden/decoder/generate_gradients.py (PyTorch autograd, f64)",
    behavior:
      "Decoders of the types qwen3, llama, qwen2 and smollm3 can be trained, and the trained model samples consistently. Other types are refused before any weight is read.",
    tests: [
      "packages/engine/src/contract/train-engine-numbers.contract.ts > backward gives PyTorch's gradients of every tensor (${modelType}, ${trains})",
      "trainer/src/model/trainable-models.test.ts > a trained %s in %s samples as it trains: log-probs agree to 1e-4",
      "trainer/src/model/trainable-models.test.ts > a %s, which cannot be trained, is refused by every command that trains, and by plan",
      "packages/engine/src/create-engine.test.ts > decoders that cannot be trained are refused by model type on %s",
    ],
  },
  {
    id: "engine:plain-twin",
    source: "packages/testing/src/plain-decoder/plain-outputs.ts",
    behavior:
      "The float64 reference, with which engines are compared, computes PyTorch's outputs, also for token trees.",
    tests: [
      "test/golden/decoder/plain-decoder.test.ts > the plain outputs of ${modelType} are PyTorch's, with temperatures and kept sets (${name})",
      "test/golden/decoder/plain-decoder.test.ts > branches of a tree equal the chains they are cut from, at the given positions",
    ],
  },
  {
    id: "engine:trees",
    source: "docs/design.md, decision 2; docs/evidence/appendix/engine.md, Trees and packed rows",
    behavior:
      "A token tree is trained once and counts like its separate paths. Packing, sharing and microbatches change no number.",
    tests: [
      "packages/engine/src/contract/train-engine-trees.contract.ts > a tree has the plain twin's outputs (${config.modelType})",
      "packages/engine/src/contract/train-engine-trees.contract.ts > the gradients of trees equal central differences of the plain twin, every tensor (${config.modelType}, ${trains})",
      "packages/engine/src/contract/train-engine-trees.contract.ts > a tree gives the results of its paths as separate sequences",
      "packages/engine/src/contract/train-engine-trees.contract.ts > trees and sequences packed together do not affect each other, in any microbatches",
      "packages/engine/src/batch/microbatch.test.ts > in any batch every asked token has a row with its own path, within the token limit",
      "packages/engine/src/batch/microbatch.test.ts > packed rows give the results of padded rows: groups with prompts, short sequences, %s",
      "packages/engine/src/graphs/causal-attention.test.ts > packed rows in %i blocks give the outputs and gradients of a single block",
      "packages/engine/src/graphs/causal-attention.test.ts > keys that no query of a block attends to are left out",
    ],
  },
  {
    id: "engine:adamw",
    source: "Loshchilov and Hutter 2019, arXiv:1711.05101",
    behavior: "AdamW with clipping agrees with PyTorch over ten steps.",
    tests: [
      "packages/engine/src/optimizer/adamw.test.ts > ten clipped steps match PyTorch's, with decay on the matrix only",
    ],
  },
  {
    id: "engine:no-leak",
    source: "docs/evidence/engine.md",
    behavior: "A hundred training steps leak no tensor and no buffer.",
    tests: [
      "packages/engine/src/contract/steps-leave-nothing.test.ts > a hundred steps on %s leak no tensor and no buffer",
      "packages/engine/src/contract/steps-leave-nothing.test.ts > control: a hundred leaked sets of gradients are detected",
    ],
  },
  {
    id: "engine:webgpu",
    source: "docs/design.md, The tree",
    behavior:
      "Both engines compute the same on WebGPU through Dawn. A software adapter is never chosen automatically.",
    tests: [
      "packages/engine/src/onnx/webgpu-engines.test.ts > on %s results match PyTorch and the CPU, or the missing device is reported",
      "packages/engine/src/onnx/onnx-device-choice.test.ts > %s is chosen with %s",
    ],
  },
  {
    id: "engine:gpu-bench",
    source: "issue 4, Must show",
    behavior:
      "GPU benchmarks check gradients first. Without a GPU they run at tiny sizes on a software adapter, and without any adapter they fail.",
    tests: [
      "test/contract/gpu-bench.test.ts > a software adapter computes the processor's gradients and reports all rows of each kind of step",
      "test/contract/gpu-bench.test.ts > measuring fails without an adapter",
      "test/contract/gpu-bench.test.ts > missing, short and 1 % wrong gradients are not accepted as agreement",
    ],
  },
  {
    id: "engine:resident-weights",
    source: "issue 4, Build 1",
    behavior:
      "On WebGPU frozen weights are transferred to the device once and trained ones once per step. None remains after dispose.",
    tests: [
      "test/contract/gpu-bench.test.ts > frozen matrices are transferred once",
      "test/contract/gpu-bench.test.ts > trained matrices are transferred once per step",
      "packages/engine/src/onnx/resident-tensors.test.ts > a kept tensor is copied to the device once, and again after it changed",
      "packages/engine/src/onnx/resident-tensors.test.ts > a dropped tensor is no longer kept, and dispose frees everything",
    ],
  },
  {
    id: "engine:cuda-missing",
    source: "issue 4, Build 1",
    behavior:
      "Every command with a device refuses --device cuda if it is not installed, before a model is read, and names the package to install.",
    tests: [
      "packages/engine/src/onnx/cuda-libraries.test.ts > without the CUDA provider the error says what to install, or that the platform has none",
      "packages/engine/src/onnx/cuda-libraries.test.ts > an engine on cuda starts, or its error names what is missing",
      "trainer/src/options/server-options.test.ts > every command that trains takes a device",
      "trainer/src/options/server-options.test.ts > %s reports what --device cuda needs if it is not installed",
    ],
  },
  {
    id: "engine:chunked-head",
    source: "Milakov and Gimelshein 2018, arXiv:1805.02867",
    behavior:
      "Log-probs, entropy, sums of squares and candidates are computed with their gradients from tiles of logits, for any vocabulary. Kept sets take memory in proportion to their own size.",
    tests: [
      "packages/engine/src/decoder/chunked-head.test.ts > ${name} rows: outputs equal those of a whole softmax, %s",
      "packages/engine/src/decoder/chunked-head.test.ts > ${name} rows: gradients equal central differences, %s",
      "packages/engine/src/contract/train-engine-candidates.contract.ts > candidate log-probs and their gradients are the plain twin's (${config.modelType}, ${trains})",
    ],
  },
  {
    id: "engine:values",
    source: "docs/design.md, decision 2",
    behavior:
      "Value heads give values per token, and gradients into head and decoder, like the float64 reference. A critic learns and its controls do not.",
    tests: [
      "packages/engine/src/contract/train-engine-values.contract.ts > values and their gradients are the plain twin's, every tensor (${config.modelType}, ${trains})",
      "packages/engine/src/contract/train-engine-values.contract.ts > values beside log-probs add their gradients, whatever the microbatches",
      "packages/engine/src/contract/train-engine-values.contract.ts > values can leave the decoder untrained",
      "packages/engine/src/contract/train-engine-values.contract.ts > a critic learns returns, but not at rate 0 and not from shuffled returns",
      "packages/engine/src/contract/train-engine-values.contract.ts > value heads have a learning rate of their own",
      "packages/engine/src/contract/train-engine-values.contract.ts > training resumes from a checkpoint bit for bit, value heads included",
      "trainer/src/model/adapter-folder.test.ts > a folder stores value heads beside the adapter, and training continues bit for bit",
      "packages/engine/src/contract/engines-agree.test.ts > ONNX in one graph, ONNX by layers and TensorFlow.js agree norm-wise to 1e-4, values included (%s)",
      "packages/engine/src/remote/remote-engines-agree.test.ts > a server over TensorFlow.js, ONNX and ONNX by layers agree norm-wise to 1e-4, every tensor (%s)",
      "packages/engine/src/remote/remote-refusals.test.ts > value heads are refused by name before any request to the server",
    ],
  },
  {
    id: "engine:golden-heads",
    source: "test/golden/decoder/generate_heads.py (PyTorch autograd, f64)",
    behavior:
      "Log-probs of candidates, values, and the gradients of both agree with PyTorch, in every engine that has them and in the float64 reference.",
    tests: [
      "packages/engine/src/contract/train-engine-heads.contract.ts > candidates, values and their gradients are PyTorch's (${modelType}, ${trains})",
      "test/golden/decoder/plain-decoder.test.ts > the plain candidates and values of ${modelType} are PyTorch's",
    ],
  },
  {
    id: "engine:shared-base",
    source: "packages/engine/README.md, Several models over one base",
    behavior:
      "Several adapters train over one shared base, each bit for bit as if alone, on this machine and as a server's models.",
    tests: [
      "packages/engine/src/contract/shared-base.contract.ts > training one model changes no bit of another, even of another rank",
      "packages/engine/src/contract/shared-base.contract.ts > each model takes the same steps as an engine of its own, bit for bit, in any order of calls",
      "packages/engine/src/contract/shared-base.contract.ts > an unloaded model frees its id, leaves the others alone, and resumes from its checkpoint",
      "packages/engine/src/shared-base.test.ts > eight models share the memory of one base, checkpointing %s",
      "packages/engine/src/shared-base.test.ts > a model that does not fit beside the others is refused, and fits after one is unloaded",
      "packages/engine/src/remote/remote-base.test.ts > each model is created on the server and unloaded from it",
      "packages/engine/src/remote/remote-base.test.ts > a server limited to one model refuses the second by name and keeps the first",
    ],
  },
  {
    id: "engine:checkpointing",
    source: "Chen et al. 2016, arXiv:1604.06174",
    behavior: "Layer-wise recomputation for the gradient gives the numbers of the whole graph.",
    tests: [
      "packages/engine/src/onnx/layer-runner.test.ts > layer by layer gives all outputs and gradients of one graph to 1e-5 (${config.modelType}, %s, tiles of %d)",
    ],
  },
  {
    id: "engine:quantized-base",
    source: "Dettmers et al. 2023, QLoRA, arXiv:2305.14314",
    behavior:
      "Adapters train on a frozen base of 16, 8 or 4 bits, which counts as the numbers that it encodes.",
    tests: [
      "packages/engine/src/onnx/layer-runner.test.ts > an %s base gives the outputs and gradients of its dequantized numbers",
      "packages/engine/src/onnx/layer-runner.test.ts > a quantized base does not change while its adapter learns",
      "packages/model/src/weights/resident-weights.test.ts > %s weights equal those that a quantized graph computes with",
      "packages/engine/src/create-engine.test.ts > weights stored in %s are read once, one read at a time, matrices in slices",
      "trainer/src/model/held-weights.test.ts > an int8 base is the only copy beside the sampler's graph; a float32 copy would be detected",
      "packages/model/src/weights/resident-source.test.ts > a source over %s yields the numbers that training computes with, whole and in slices",
    ],
  },
  {
    id: "engine:mixed-precision",
    source: "Micikevicius et al. 2018, arXiv:1710.03740",
    behavior:
      "Training with f16 products and float32 elsewhere learns like float32. Values out of range are recomputed or refused.",
    tests: [
      "packages/engine/src/decoder/half-precision.test.ts > training in f16 reaches the loss of float32",
      "packages/engine/src/decoder/half-precision.test.ts > gradients are within 1/200 of float32's norm-wise, and differ from them (%s, checkpointing %s, base %s)",
      "packages/engine/src/decoder/half-precision.test.ts > gradients that overflow are computed again, and the step reports it",
      "packages/engine/src/decoder/half-precision.test.ts > activations that overflow are refused, not returned",
      "packages/engine/src/decoder/gradient-scale.test.ts > derivatives below float16's smallest number survive, and would not without a scale",
      "packages/engine/src/onnx/webgpu-engines.test.ts > f16 is refused on an adapter without it, and without a driver",
    ],
  },
  {
    id: "engine:memory-plan",
    source: "docs/evidence/appendix/engine.md, Real sizes",
    behavior:
      "The memory of training is estimated before it starts. If it does not fit, training is refused with advice on which option to lower.",
    tests: [
      "packages/engine/src/memory/memory-plan.test.ts > the plan is within a third of the measured peak: $title",
      "packages/engine/src/memory/memory-plan.test.ts > a plan above the limit is refused before anything is loaded, naming what to lower",
      "packages/engine/src/memory/memory-plan.test.ts > layer by layer, a larger vocabulary adds only its embedding",
      "packages/engine/src/memory/memory-budget.test.ts > a batch that exceeds the limit is refused before any of it runs, and gradients stay, checkpointing %s",
      "packages/engine/src/memory/memory-budget.test.ts > a 0.6 B model that opens within 2 GB is refused at 2048 tokens, naming what to lower",
      "trainer/src/commands/program.test.ts > plan reports what training would take, and a limit below it is refused before a step",
    ],
  },
];
