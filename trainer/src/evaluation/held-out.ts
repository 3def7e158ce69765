/** Held-out tasks of an environment with the policy as it is. The same tasks and draws every time for a seed. */
import type { JudgedTrajectory, RolloutPlan } from "@waggle/learning";
import type { EnvironmentSpec } from "@waggle/environments";
import { FULL_SUPPORT, type Sampling, type TaskReference, type TaskSplit } from "@waggle/protocol";
import { inLanes } from "../rollouts/lanes.ts";
import { derivedSeed } from "../rollouts/random.ts";
import type { CollectParts } from "../strategies/collect.ts";
import { type EnvironmentRollout, environmentRollout } from "../rollouts/environment-rollout.ts";
import { foldedTurns } from "../strategies/own-contexts.ts";
import { roleRollout } from "../rollouts/role-policy.ts";
import { teamRollouts } from "../strategies/team-rollouts.ts";

type TeamPlan = Extract<RolloutPlan, { kind: "team" }>;

export type HeldOut = {
  readonly successes: readonly boolean[];
  readonly toolCallsMean: number;
  readonly sampledTokensMean: number;
};

/** The nth held-out task, or the nth to validate with; other ones for another seed. */
export function heldOutTask(
  spec: EnvironmentSpec,
  i: number,
  seed = 0,
  split: TaskSplit = "heldOut",
): TaskReference {
  return spec.reference(derivedSeed(0xe7a1 + seed, i), split, i % spec.levels);
}

/** The first `count` of them. */
export async function evaluateHeldOut(parts: CollectParts, count: number): Promise<HeldOut> {
  const places = Array.from({ length: count }, (_, i) => i);
  return heldOutOf(await rollOutHeldOut(parts, places));
}

/** `[places]` rollouts at the tasks of these places. */
export async function rollOutHeldOut(
  parts: CollectParts,
  places: readonly number[],
  plan?: RolloutPlan,
  seed = 0,
  split: TaskSplit = "heldOut",
  sampling: Omit<Sampling, "seed"> = FULL_SUPPORT,
): Promise<EnvironmentRollout[]> {
  const { format, reader, roles, signal } = parts;
  return inLanes(places.length, async (at): Promise<EnvironmentRollout> => {
    const i = places[at] as number;
    const task = heldOutTask(parts.spec, i, seed, split);
    const drawn = { sampling, seed: derivedSeed(0x5eed + seed, i) };
    const options = { ...drawn, guide: reader?.(i).guide };
    if (plan?.kind === "team" && isDeployed(plan, parts)) {
      // Who acts last answers for all of them.
      const joint = { ...drawn, staleness: 0 };
      const members = await teamRollouts({ ...plan, size: 1 }, parts, joint, task, i);
      return members.at(-1) as JudgedTrajectory;
    }
    if (plan?.kind === "folded") {
      const turns = await foldedTurns(
        { ...plan, mistakes: null },
        parts,
        { ...drawn, staleness: 0 },
        { task, place: [i] },
      );
      return joined(turns);
    }
    const { policy, spec } =
      roles === undefined
        ? parts
        : roleRollout(roles, parts.policy, parts.spec, task, roles.deploys ?? "policy");
    return environmentRollout(policy, format, spec, task, options, signal);
  });
}

/**
 * Whether a team rollouts tasks as one: members with adapters of their own do. Sides of a match, and members
 * that are all the policy, are looked at alone, and so is whom a recipe names.
 */
function isDeployed({ how, roles: members }: TeamPlan, { roles }: CollectParts): boolean {
  return (
    how !== "apart" &&
    roles !== undefined &&
    roles.deploys === undefined &&
    members.every((member) => roles.adapters.has(member))
  );
}

/** Turns with contexts of their own as one rollout, for counting. */
function joined(turns: readonly JudgedTrajectory[]): EnvironmentRollout {
  const last = turns.at(-1) as JudgedTrajectory;
  const all = turns.map(({ record: trajectory }) => trajectory);
  return {
    verification: last.verification,
    record: {
      ...last.record,
      turns: all.flatMap((each) => each.turns),
      segments: all.flatMap((each) => each.segments),
    },
  };
}

export function heldOutOf(attempts: readonly EnvironmentRollout[]): HeldOut {
  const meanOf = (of: (rollout: EnvironmentRollout) => number): number =>
    attempts.reduce((sum, each) => sum + of(each), 0) / Math.max(1, attempts.length);
  return {
    successes: attempts.map(({ verification }) => verification.success),
    toolCallsMean: meanOf(({ record: trajectory }) =>
      trajectory.turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0),
    ),
    sampledTokensMean: meanOf(({ record: trajectory }) =>
      trajectory.segments.reduce(
        (sum, segment) => sum + (segment.kind === "sampled" ? segment.tokenIds.length : 0),
        0,
      ),
    ),
  };
}
