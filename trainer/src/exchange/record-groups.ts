/** Groups of exported records. */
import type { TrajectoryDetail } from "@waggle/protocol";

/** Grouped by the edge's group; a record without one is its own group. */
export function groupsOf<T>(items: readonly T[], recordOf: (item: T) => TrajectoryDetail): T[][] {
  const groups = Map.groupBy(items, (item) => recordOf(item).row.groupId ?? recordOf(item).row.id);
  return [...groups.values()];
}
