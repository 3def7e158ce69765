/** Replaces an engine's parameters and keeps its moments and step count. Does not train. */
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

/**
 * Prefix of the parameters in checkpoints of this project's engines; the moments have prefixes of their
 * own.
 */
const SAVED_PARAMETERS = "parameters/";

/**
 * @throws WaggleError `CAPABILITY_MISSING` if the engine's checkpoints do not contain parameters.
 */
export async function setParameters(engine: TrainEngine, parameters: TensorMap): Promise<void> {
  const { step, tensors } = await engine.save();
  const replaced = new Map(
    Array.from(parameters, ([name, tensor]) => [`${SAVED_PARAMETERS}${name}`, tensor] as const),
  );
  if (![...replaced.keys()].every((key) => tensors.has(key))) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `checkpoints of the engine ${engine.capabilities().device} do not contain parameters, so they cannot be replaced; train with --device cpu`,
    );
  }
  await engine.load({ step, tensors: new Map([...tensors, ...replaced]) });
}
