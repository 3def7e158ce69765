/** Held-out tasks of a family with the policy as it is. The same tasks and draws every time for a seed. */
import type { Episode, RolloutPlan } from "@waggle/learning";
import { FULL_SUPPORT } from "@waggle/protocol";
import { inLanes } from "../lanes.ts";
import { derivedSeed } from "../random.ts";
import type { CollectParts } from "./collect.ts";
import { type FamilyAttempt, familyAttempt } from "./family-attempt.ts";
import { roleAttempt } from "./role-policy.ts";
import { teamAttempts } from "./team-attempts.ts";

export type HeldOut = {
  readonly successes: readonly boolean[];
  readonly toolCallsMean: number;
  readonly sampledTokensMean: number;
};

export async function evaluateHeldOut(
  parts: CollectParts,
  count: number,
  plan?: RolloutPlan,
  /** Other tasks and draws for another one. */
  seed = 0,
): Promise<HeldOut> {
  const { format, reader, roles, signal } = parts;
  const episodes = await inLanes(count, async (i): Promise<FamilyAttempt> => {
    const task = parts.family.reference(
      derivedSeed(0xe7a1 + seed, i),
      "heldOut",
      i % parts.family.levels,
    );
    const sampling = { sampling: FULL_SUPPORT, seed: derivedSeed(0x5eed + seed, i) };
    const options = { ...sampling, guide: reader?.(i).guide };
    if (plan?.kind === "team") {
      // Who acts last answers for all of them.
      const joint = { ...sampling, staleness: 0 };
      const members = await teamAttempts({ ...plan, size: 1 }, parts, joint, task, i);
      return members.at(-1) as Episode;
    }
    const { policy, family } =
      roles === undefined
        ? parts
        : roleAttempt(roles, parts.policy, parts.family, task, roles.deploys ?? "policy");
    return familyAttempt(policy, format, family, task, options, signal);
  });
  const meanOf = (of: (episode: (typeof episodes)[number]) => number): number =>
    episodes.reduce((sum, episode) => sum + of(episode), 0) / Math.max(1, episodes.length);
  return {
    successes: episodes.map(({ verification }) => verification.success),
    toolCallsMean: meanOf(({ trajectory }) =>
      trajectory.turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0),
    ),
    sampledTokensMean: meanOf(({ trajectory }) =>
      trajectory.segments.reduce(
        (sum, segment) => sum + (segment.kind === "sampled" ? segment.tokenIds.length : 0),
        0,
      ),
    ),
  };
}
