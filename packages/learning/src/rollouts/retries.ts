/** Several answers to one request, in one context. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutChanges } from "../composition/rollout-driver.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import { many, rolloutPart } from "./rollout-part.ts";

/** `size` rollouts of each task, all with the same change of the environment. */
function retryStrategy(
  size: number,
  changes: RolloutChanges,
  options: RolloutStrategy["options"],
): RolloutStrategy {
  return {
    name: "retry",
    options: { size, ...options },
    overlaps: true,
    rollOut: (driver) =>
      driver.byTask((task, at) => many(size, (i) => driver.rollOut(task, [at, i], changes))),
  };
}

/**
 * `retry`: after a failure, the policy gets `guidance` and tries again in the same context.
 *
 * Source: Reflect, Retry, Reward, arXiv:2505.24726.
 */
export function retry(guidance: string, size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => {
    const environment = { kind: "retry", guidance } as const;
    return rolloutPart("retry", "group", retryStrategy(size, { environment }, { guidance }));
  });
}

/**
 * `multi-trial`: up to `most` answers. After each wrong answer, the policy is told that it was wrong. If all are
 * wrong, the teacher in the state answers in the same context. Each turn has the reward of its answer.
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
      strategy: ({ state }) => {
        const [teacher = 0] = state.teacher as readonly number[];
        const changes = { introspection: { guidance, most, mistakes: teacher } };
        return retryStrategy(size, changes, { guidance, trials: { most, teacher } });
      },
    }),
  );
}
