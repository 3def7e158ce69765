/** A joint rollout of a team in one environment, as a trajectory for each member. */
import { sharedRollout } from "@waggle/agent/environments";
import type { JudgedTrajectory, TeamMember } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import type { DriverOptions, DriverParts } from "./driver-parts.ts";
import { readingRollout, trajectoryOf } from "./policy-rollout.ts";

/** A trajectory for each member, in their order. */
export async function teamRollout(
  parts: DriverParts,
  options: DriverOptions,
  task: TaskReference,
  place: readonly number[],
  members: readonly TeamMember[],
): Promise<JudgedTrajectory[]> {
  const { spec, format } = parts;
  const rollouts = await sharedRollout(
    spec.create(task),
    members.map(({ part }) => part),
    format,
    (view, index) => {
      const { part, role, mode } = members[index] as TeamMember;
      const viewed = { ...parts, spec: { ...spec, create: () => view } };
      const changes = { role, mode, readsAs: part };
      return readingRollout(viewed, options, task, [...place, index], changes);
    },
  );
  return rollouts.map((rollout, index) =>
    trajectoryOf(rollout, parts, options, members[index] as TeamMember),
  );
}
