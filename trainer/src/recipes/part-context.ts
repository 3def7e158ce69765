/** The context of a recipe's parts outside a run of the recipe. */
import {
  initialValues,
  type PartContext,
  type PartPorts,
  type Stage,
  type StateValues,
} from "@waggle/learning";
import { seededRandom } from "@waggle/protocol";

/** The context that the parts of a stage get at a step of the loop. */
export function partContext(
  stage: Stage,
  step: number,
  {
    seed = 0,
    state = {},
    ports = {},
  }: {
    readonly seed?: number;
    readonly state?: StateValues | undefined;
    readonly ports?: PartPorts | undefined;
  } = {},
): PartContext {
  return {
    step,
    steps: stage.steps,
    random: seededRandom(seed, step, 0x5e),
    state: initialValues(stage, state),
    ports,
    signal: new AbortController().signal,
  };
}
