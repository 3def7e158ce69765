/** Several answers to one request in one context. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { retry } from "./plain-rollouts.ts";

/**
 * `multi-trial`: up to `most` answers, each told that the one before was wrong; where all are, the
 * state's teacher answers in the same context. Turns are paid what their answer was worth.
 */
export function introspection(
  guidance: string,
  most?: number,
  size?: number,
): RolloutPart<"teacher", "single"> {
  return definePart(
    { introspectionMost: option(most, 3), introspectionSize: option(size, 1) },
    ({ introspectionMost: most, introspectionSize: size }) => ({
      slot: "rollout",
      part: "multi-trial",
      start: "single",
      needs: ["teacher"],
      around: [retry(guidance, size)],
      plan: ({ state }) => {
        const [teacher = 0] = state.teacher as readonly number[];
        return { kind: "retry", size, guidance, trials: { most, teacher } };
      },
    }),
  );
}
