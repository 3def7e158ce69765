/**
 * Counts the bytes fed to onnxruntime-node from host memory and the tensors left on the device. Patches
 * onnxruntime below the engine, so it sees every session created after the call.
 */
import { InferenceSession } from "onnxruntime-node";

export type CrossingBytes = {
  /** Bytes fed since the last call, by sessions of this provider only. */
  readonly taken: () => number;
  /** Tensors that stayed on the device and were not freed. */
  readonly left: () => number;
};

/** Starts counting for sessions of `provider`. */
export function countCrossingBytes(provider: string): CrossingBytes {
  let bytes = 0;
  let left = 0;
  const create = InferenceSession.create.bind(InferenceSession) as (
    model: Uint8Array,
    options: InferenceSession.SessionOptions,
  ) => Promise<InferenceSession>;
  const counting = async (
    model: Uint8Array,
    options: InferenceSession.SessionOptions,
  ): Promise<InferenceSession> => {
    const session = await create(model, options);
    if (options.executionProviders?.[0] !== provider) return session;
    const run = session.run.bind(session);
    session.run = async (feeds: InferenceSession.FeedsType) => {
      for (const tensor of Object.values(feeds)) {
        if (tensor.location === "cpu") bytes += (tensor.data as Uint8Array).byteLength;
      }
      const outputs = await run(feeds);
      for (const tensor of Object.values(outputs)) {
        if (tensor.location === "cpu") continue;
        left += 1;
        const dispose = tensor.dispose.bind(tensor);
        tensor.dispose = () => {
          left -= 1;
          dispose();
        };
      }
      return outputs;
    };
    return session;
  };
  Object.assign(InferenceSession, { create: counting });
  return {
    taken: () => {
      const taken = bytes;
      bytes = 0;
      return taken;
    },
    left: () => left,
  };
}
