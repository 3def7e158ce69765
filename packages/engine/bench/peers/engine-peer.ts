/** One of Waggle's engines as a peer: `engine-peer.ts <shape> <device> [microbatch tokens]`. */
import { decoderParameters, initializeDecoder } from "@waggle/model";
import { createEngine } from "../../src/create-engine.ts";
import type { EngineDevice } from "../../src/create-engine.ts";
import { batchOf, LEARNING_RATE, SHAPES } from "../step-shapes.ts";
import type { ShapeName } from "../step-shapes.ts";
import { servePeer } from "./peer-service.ts";

const [, , name, device, microbatch] = process.argv;
const shape = SHAPES[name as ShapeName];
const { config } = shape;
const sequences = batchOf(shape);
const engine = await createEngine({
  device: device as EngineDevice,
  config,
  weights: initializeDecoder(config, 1),
  trains: "full",
  threads: 2,
  ...(microbatch === undefined ? {} : { maxMicrobatchTokens: Number(microbatch) }),
});
// Loss: mean negative log-probability of the next token.
const derivative = -1 / (shape.sequences * shape.length);
const logProb = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(derivative));

await servePeer({
  label: engine.capabilities().device,
  gradients: async () => {
    await engine.backward({ sequences }, { logProb });
    const gradients = await engine.gradients();
    // Drops the gradients; at learning rate 0 no parameter moves.
    await engine.optimStep({ learningRate: 0 });
    return decoderParameters(config).map((parameter) => {
      const { data } = gradients.get(parameter.name) ?? { data: new Float32Array() };
      return data;
    });
  },
  step: async () => {
    await engine.backward({ sequences }, { logProb });
    await engine.optimStep({ learningRate: LEARNING_RATE });
  },
});
