/**
 * A server over one engine gives the gradients of another local engine. The protocol does not return
 * gradients, but this server runs in the test.
 */
import { initializeAdapter } from "@waggle/model";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import { createTfjsEngine } from "../tfjs/tfjs-engine.ts";
import {
  largestNormError,
  loudAdapter,
  loudWeights,
  randomDerivatives,
  TINY,
  TINY_LLAMA,
} from "../contract/train-engine.fixture.ts";
import { ALPHA, connect, SEQUENCES, serverOf } from "./remote-engine.fixture.ts";

test.for([
  ["full", TINY],
  ["full", TINY_LLAMA],
  ["lora", TINY],
  ["lora", TINY_LLAMA],
] as const)(
  "a server over TensorFlow.js, ONNX and ONNX by layers agree norm-wise to 1e-4, every tensor (%s)",
  async ([trains, config], context) => {
    skipOutside(trains === "lora" && config === TINY, context);
    const adapter = { ...loudAdapter(config), alpha: ALPHA };
    const options = {
      config,
      weights: loudWeights(config),
      trains,
      ...(trains === "lora" ? { adapter } : {}),
    };
    const served: TrainEngine[] = [];
    const server = await serverOf(options, {
      flavor: "skyrl",
      optimizer: {},
      createEngine: async () => {
        const engine = await createTfjsEngine({ ...options, device: "wasm" });
        served.push(engine);
        return engine;
      },
    });
    // The client only sets the shape; the server draws its own adapter.
    const fresh = initializeAdapter(config, { rank: adapter.rank, alpha: ALPHA, seed: 1 });
    const remote = await connect(server, options, {
      fixedOptimizer: {},
      ...(trains === "lora" ? { adapter: fresh } : {}),
    });
    const serving = served.at(-1) as TrainEngine;
    const overHttp = await gradientsOf(remote, serving);
    for (const checkpointing of ["none", "layer"] as const) {
      const here = { ...options, device: "cpu", threads: 1, checkpointing } as const;
      const engine = await createOnnxEngine(here);
      onTestFinished(() => engine.dispose());
      const expected = await gradientsOf(engine, engine);
      expect([...overHttp.keys()]).toEqual([...expected.keys()]);
      expect(largestNormError(overHttp, expected)).toBeLessThan(1e-4);
    }
  },
);

/** Gradients of the sum of all log-probs, requested through `engine` and computed by `serving`. */
async function gradientsOf(engine: TrainEngine, serving: TrainEngine): Promise<TensorMap> {
  const logProb = randomDerivatives(SEQUENCES, 6);
  await engine.backward({ sequences: SEQUENCES }, { logProb });
  return serving.gradients();
}
