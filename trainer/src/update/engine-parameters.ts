/** Puts parameters into an engine beside the moments and the step that it has. Trains nothing. */
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

/** Where a checkpoint of this project's engines has its parameters, beside their moments. */
const SAVED_PARAMETERS = "parameters/";

/** @throws WaggleError `CAPABILITY_MISSING` for an engine whose checkpoints do not hold parameters. */
export async function setParameters(engine: TrainEngine, parameters: TensorMap): Promise<void> {
  const { step, tensors } = await engine.save();
  const replaced = new Map(
    Array.from(parameters, ([name, tensor]) => [`${SAVED_PARAMETERS}${name}`, tensor] as const),
  );
  if (![...replaced.keys()].every((key) => tensors.has(key))) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `an engine must keep its parameters in its checkpoints to be given others, got ${engine.capabilities().device}; train with --device cpu`,
    );
  }
  await engine.load({ step, tensors: new Map([...tensors, ...replaced]) });
}
