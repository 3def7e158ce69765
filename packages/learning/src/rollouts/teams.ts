/** Rollouts of several policies: teams, matches, and matches against past checkpoints. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutPlan } from "../composition/rollout-plan.ts";
import { resource, type StatePart } from "../composition/state.ts";
import { drawOpponent, type OpponentPool } from "../states/opponent-pool.ts";
import { demos } from "./demonstrations.ts";
import { group } from "./plain-rollouts.ts";

type Team = Omit<Extract<RolloutPlan, { kind: "team" }>, "kind">;

/** `team`: `size` joint rollouts at each task, with one trajectory per role. */
export function teamOf(plan: Team): RolloutPart<never, "group"> {
  return {
    slot: "rollout",
    part: "team",
    needs: [],
    start: "group",
    plan: () => ({ kind: "team", ...plan }),
    around: [group(plan.size)],
  };
}

/** `self-play`: two sides at the same task, in separate contexts; both are the policy. */
export function selfPlay(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => {
    const sides = { how: "apart", roles: ["first", "second"], size } as const;
    return { ...teamOf(sides), part: "self-play", around: [teamOf(sides)] };
  });
}

/**
 * `self-play` against a past checkpoint, drawn by its remaining difficulty; the policy is the first side.
 */
export function selfPlayAgainstPast(size?: number): RolloutPart<"opponents", "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => {
    const sides = { how: "apart", roles: ["policy", "opponent"], size } as const;
    return {
      slot: "rollout",
      part: "self-play",
      needs: ["opponents"],
      start: "group",
      plan: ({ state, random }) => ({
        kind: "team",
        ...sides,
        opponent: drawOpponent(state.opponents as OpponentPool, random),
      }),
      around: [teamOf(sides)],
    };
  });
}

/** `self-play`: a demonstration of each task, and a rollout of the previous checkpoint in the role `student`. */
export function demosAgainstPast(): RolloutPart<"opponents", "group"> {
  return {
    slot: "rollout",
    part: "self-play",
    needs: ["opponents"],
    start: "group",
    plan: () => ({ kind: "demos", size: 1, mistakes: 0, students: 1 }),
    around: [demos()],
  };
}

/** `slow-copy`: a teacher that makes the rollouts; if it `begins`, it starts as a copy of the policy. */
export function seededTeacher(begins: boolean): StatePart<"slow-copy"> {
  const copies = begins ? { copies: { teacher: "policy" } } : {};
  return {
    ...resource("slow-copy"),
    roles: { names: ["teacher"], learn: [], roleOf: () => "teacher", deploys: "policy", ...copies },
  };
}
