/**
 * The TrainEngine contract over HTTP, on a SkyRL server. The protocol does not return gradients,
 * but this server runs in the test, so its engine's gradients are compared: they show what
 * `backward` sent.
 */
import type { Adapter } from "@waggle/model";
import type { TrainEngine } from "@waggle/protocol";
import type { SavedWeights } from "@waggle/testing/tinker-server";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import { trainEngineContract } from "../contract/train-engine.contract.ts";
import { ALPHA, connect, serverOf } from "./remote-engine.fixture.ts";

/** All servers of this file save to the same storage. */
const savedWeights = new Map<string, SavedWeights>();

trainEngineContract({
  name: "the remote engine",
  isSampled: true,
  create: async (options) => {
    const { config, trains, adapter } = options;
    const engines: TrainEngine[] = [];
    const server = await serverOf(options, {
      flavor: "skyrl",
      savedWeights,
      optimizer: {},
      createEngine: async () => {
        const engine = await createOnnxEngine({ ...options, threads: 1 });
        engines.push(engine);
        return engine;
      },
    });
    const remote = await connect(
      server,
      { config, weights: new Map(), trains },
      { fixedOptimizer: {}, ...(adapter === undefined ? {} : { adapter: fresh(adapter) }) },
    );
    const serving = engines.at(-1) as TrainEngine;
    return withGradientsOf(serving, remote);
  },
  skip: [
    ...["qwen3", "llama", "qwen2", "smollm3"].flatMap((model) => [
      ...[...(hasFewGoldens(model) ? [] : ["cool"]), "full", "lora"].map((name) => ({
        test: `forward gives PyTorch's outputs (${model}, ${name})`,
        reason: "its sequences have temperatures or kept sets, which the Tinker API does not have",
      })),
      ...["full", "lora"].map((trains) => ({
        test: `backward gives PyTorch's gradients of every tensor (${model}, ${trains})`,
        reason: "its sequences have temperatures or kept sets, and it differentiates entropy",
      })),
      ...(hasFewGoldens(model) ? [] : ["full", "lora"]).map((trains) => ({
        test: `the gradient of entropy equals central differences of the plain twin, every tensor (${model}, ${trains})`,
        reason: "the Tinker API has no entropy",
      })),
    ]),
    {
      test: "a taken token outside its kept set has log-prob −∞ and no gradient",
      reason: "the Tinker API has no kept sets",
    },
    {
      test: "optimStep moves parameters by AdamW on the gradients, over 10 steps",
      reason:
        "SkyRL fixes decay and clipping at startup; remote-engine.test.ts covers it on open-rl",
    },
    {
      test: "a tiny model overfits one sequence, and not at learning rate 0",
      reason: "SkyRL fixes clipping at startup; remote-engine.test.ts covers it with that setting",
    },
    ...[
      ...["qwen3", "llama"].flatMap((model) =>
        ["full", "lora"].flatMap((trains) => [
          `values and their gradients are the plain twin's, every tensor (${model}, ${trains})`,
          `candidates, values and their gradients are PyTorch's (${model}, ${trains})`,
        ]),
      ),
      "values beside log-probs add their gradients, whatever the microbatches",
      "values can leave the decoder untrained",
      "a critic learns returns, but not at rate 0 and not from shuffled returns",
      "value heads have a learning rate of their own",
      "training resumes from a checkpoint bit for bit, value heads included",
      "heads of another width, and derivatives of other shapes, are refused",
    ].map((title) => ({
      test: title,
      reason:
        "the Tinker API has no values or candidates; remote-refusals.test.ts covers the refusal",
    })),
    ...["full", "lora"].map((trains) => ({
      test: `training resumes from a checkpoint bit for bit (${trains})`,
      reason:
        "checkpoints name a location on the server; remote-engine.test.ts compares parameters",
    })),
  ],
});

/** Types with fewer goldens and central differences. */
function hasFewGoldens(model: string): boolean {
  return model === "qwen2" || model === "smollm3";
}

/** The adapter's shape with B zero, because servers draw their own A. */
function fresh(adapter: Adapter): Adapter {
  const tensors = new Map(
    Array.from(adapter.tensors, ([name, { shape, data }]) => [
      name,
      { shape, data: name.includes("lora_B") ? new Float32Array(data.length) : data },
    ]),
  );
  return { rank: adapter.rank, alpha: ALPHA, tensors };
}

function withGradientsOf(serving: TrainEngine, remote: TrainEngine): TrainEngine {
  return {
    capabilities: () => remote.capabilities(),
    forward: (batch) => remote.forward(batch),
    backward: (batch, derivatives) => remote.backward(batch, derivatives),
    optimStep: (options) => remote.optimStep(options),
    gradients: () => serving.gradients(),
    parameters: () => remote.parameters(),
    save: () => remote.save(),
    load: (checkpoint) => remote.load(checkpoint),
    dispose: () => remote.dispose(),
  };
}
