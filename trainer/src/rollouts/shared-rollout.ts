/**
 * A joint rollout of several roles in one environment. Each role has its own conversation, and all are judged by their
 * joint answer.
 */
import { SharedEnvironment } from "@waggle/environments";
import type { JudgedTrajectory, TeamMember } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import type { DriverOptions, DriverParts } from "./driver-parts.ts";
import { finalTextOf } from "./final-text.ts";
import { readingRollout, trajectoryOf } from "./policy-rollout.ts";

/** A trajectory for each member, in their order. */
export async function sharedRollout(
  parts: DriverParts,
  options: DriverOptions,
  task: TaskReference,
  place: readonly number[],
  members: readonly TeamMember[],
): Promise<JudgedTrajectory[]> {
  const { spec, format } = parts;
  const shared = new SharedEnvironment(
    spec.create(task),
    members.map(({ part }) => part),
  );
  const rollouts = await Promise.all(
    members.map(async ({ part, role, mode }, r) => {
      const viewed = { ...parts, spec: { ...spec, create: () => shared.view(part) } };
      try {
        const changes = { role, mode, readsAs: part };
        return await readingRollout(viewed, options, task, [...place, r], changes);
      } finally {
        shared.leave(part);
      }
    }),
  );
  // The answers form one final answer, with each role's text in its place.
  const texts = rollouts.flatMap(({ record }) => finalTextOf(record, format) ?? []);
  const answer = texts.length === 0 ? null : texts.join(" ").trim();
  const verification = await shared.view("").judge(answer);
  const { turnRewards } = verification;
  return rollouts.map((made, r) => {
    const member = members[r] as TeamMember;
    const own = turnRewards?.filter((_, i) => shared.callers[i] === member.part);
    const judged = own === undefined ? verification : { ...verification, turnRewards: own };
    return trajectoryOf({ ...made, verification: judged }, parts, options, member);
  });
}
