/** Rollouts from the start of a task: groups, single trajectories, retries and stale samplers. */
import { WaggleError } from "@waggle/protocol";
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart, Start } from "../composition/part.ts";
import type { RolloutPlan } from "../composition/rollout-plan.ts";
import type { StateName } from "../composition/state.ts";

/** `size` trajectories from the same start, in an environment with documents to search. */
export function searchingGroup(size?: number): RolloutPart<"corpus", "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) => ({
    slot: "rollout",
    part: "group",
    needs: ["corpus"],
    start: "group",
    plan: () => ({ kind: "group", size: groupSize, environments: [{ kind: "searched" }] }),
  }));
}

export function planned<S extends "group" | "single">(
  part: string,
  start: S,
  plan: RolloutPlan,
): RolloutPart<never, S> {
  if ("size" in plan && !(Number.isInteger(plan.size) && plan.size >= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `rollouts of ${part} per task must be a whole number of at least 1, got ${plan.size}`,
    );
  }
  return { slot: "rollout", part, needs: [], start, plan: () => plan };
}

/** `group`: `size` trajectories from the same start; default 8. */
export function group(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    planned("group", "group", { kind: "group", size: groupSize }),
  );
}

/**
 * `single`: independent trajectories without group statistics. For comparisons, `rollouts` per task, each with
 * the next of the sentences as an instruction.
 */
export function single(attempts?: number, modes?: readonly string[]): RolloutPart<never, "single"> {
  return definePart({ attempts: option(attempts, 1) }, (given) =>
    planned("single", "single", {
      kind: "group",
      size: given.attempts,
      ...(modes === undefined ? {} : { modes }),
    }),
  );
}

/** `mode-strata`: a group with an equal share for each mode; a mode is a sentence in the system message. */
export function modeStrata(
  modes: readonly string[],
  perMode?: number,
): RolloutPart<never, "group"> {
  return definePart({ perMode: option(perMode, 4) }, ({ perMode }) => {
    const size = perMode * modes.length;
    const strata = planned("mode-strata", "group", { kind: "group", size, modes });
    return { ...strata, around: [group(size)] };
  });
}

/** `weights`: no rollouts; the stage learns from models. */
export function weights(): RolloutPart<never, "single"> {
  return planned("weights", "single", { kind: "none" });
}

/**
 * `retry`: after a failure, the policy gets `guidance` and tries again in the same context.
 *
 * Source: Reflect, Retry, Reward, arXiv:2505.24726.
 */
export function retry(guidance: string, size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) =>
    planned("retry", "group", { kind: "retry", size, guidance }),
  );
}

/** `async`: `inner`, sampled by a stale policy; the staleness is a setting of the stage. */
export function asynchronous<N extends StateName, S extends Start>(
  inner: RolloutPart<N, S>,
): RolloutPart<N, S> {
  return definePart({}, (_, [plain]) => ({ ...plain, part: "async", around: [plain] }), [inner]);
}
