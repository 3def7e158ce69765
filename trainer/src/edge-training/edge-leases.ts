/** A training source that leases groups from an edge. */
import type { HeldCheckpoint } from "../checkpoint/held-checkpoint.ts";
import type { EdgeFollower } from "../edge/edge-follower.ts";
import type { TrainingParts } from "./training-parts.ts";
import type { Source } from "../training/train.ts";
import { type HeldLease, versionsOf } from "../source/lease-holder.ts";

/** Leases groups that the next batch lacks, and reads the edge's versions if one is unknown. */
export function edgeLeases(
  { leases, note }: Pick<TrainingParts, "leases" | "note">,
  checkpoint: HeldCheckpoint,
  follower: EdgeFollower,
): Source<HeldLease> {
  return {
    next: async (wanted) => {
      const lease = await leases.take(wanted);
      if (lease === null) return null;
      note("checking", checkpoint.state.step);
      const known = new Set(checkpoint.state.versions.map(({ version }) => version));
      if (!versionsOf(lease).every((version) => known.has(version))) await follower.follow();
      return lease;
    },
  };
}
