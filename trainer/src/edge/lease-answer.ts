/**
 * The response to a lease request, parsed record by record. A trajectory that this release cannot read
 * (another schema version, or one that breaks a rule) is reported by digest and left out; the other
 * trajectories of the lease are returned.
 */
import { LeasedGroup, LeasedTrajectory, LeaseResponse, Sha256 } from "@waggle/protocol";
import { z } from "zod";

export type LeaseAnswer = LeaseResponse & {
  /** Digests of leased trajectories that could not be read. */
  readonly unreadable?: readonly string[] | undefined;
};

/** A lease whose trajectories have not been read yet. */
const Envelope = LeaseResponse.extend({
  groups: z.array(LeasedGroup.extend({ trajectories: z.array(z.looseObject({ digest: Sha256 })) })),
});

export const LeaseAnswer: z.ZodType<LeaseAnswer> = Envelope.transform((envelope): LeaseAnswer => {
  const unreadable: string[] = [];
  const groups = envelope.groups.map((group) => ({
    ...group,
    trajectories: group.trajectories.flatMap((leased) => {
      const read = LeasedTrajectory.safeParse(leased);
      if (!read.success) unreadable.push(leased.digest);
      return read.data ?? [];
    }),
  }));
  return { ...envelope, groups, unreadable };
});
