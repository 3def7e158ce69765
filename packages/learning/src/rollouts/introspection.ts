/** Several answers to one request, in one context. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { retry } from "./plain-rollouts.ts";

/**
 * `multi-trial`: up to `most` answers; after each wrong one the policy is told so. If all are wrong, the
 * state's teacher answers in the same context. Each turn's reward is that of its answer.
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
