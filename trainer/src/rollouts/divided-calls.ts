/** The role that owns each turn of a rollout. */
import type { ActingRoles } from "@waggle/agent/environments";
import { type JudgedTrajectoryOptions, turnRoles } from "@waggle/learning";
import type { Trajectory } from "@waggle/protocol";

/**
 * The role of each turn, and separately the role of each call's arguments, as recorded in a
 * trajectory.
 */
export function turnOwners(
  roles: ActingRoles | undefined,
  trajectory: Trajectory,
): Pick<JudgedTrajectoryOptions, "turnRoles" | "turnFills"> {
  const { roleOf, divider } = roles ?? {};
  if (divider !== undefined) {
    const { turns, segments } = trajectory;
    const said = new Map(segments.map(({ id, tokenIds }) => [id, tokenIds]));
    return {
      turnRoles: turns.map(() => divider.names),
      turnFills: turns.map(({ segmentId }) => divider.at(said.get(segmentId) ?? [])),
    };
  }
  return roleOf === undefined ? {} : { turnRoles: turnRoles({ record: trajectory }, roleOf) };
}
