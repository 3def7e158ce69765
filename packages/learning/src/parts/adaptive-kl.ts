/** `kl-coefficient`: the weight of a KL term that follows a budget of nats. */
import { kept, type StatePart } from "../composition/state.ts";

/** @param start - what the first step weighs the term with, > 0: a weight of 0 never moves. */
export function klCoefficient(start: number): StatePart<"kl-coefficient"> {
  return kept("kl-coefficient", () => start);
}
