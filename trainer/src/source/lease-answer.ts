/**
 * The answer to a lease, read record by record. A trajectory that this release cannot read (another
 * schema version, a rule it breaks) is named and left out; the others of the lease are served.
 */
import { LeasedTrajectory, type LeaseResponse, Sha256, TaskReference } from "@waggle/protocol";
import { z } from "zod";

export type LeaseAnswer = LeaseResponse & {
  /** Digests of leased trajectories that could not be read. */
  readonly unreadable?: readonly string[] | undefined;
};

const Envelope = z.object({
  leaseId: z.uuid().nullable(),
  fencingToken: z.int(),
  expiresAt: z.iso.datetime(),
  groups: z.array(
    z.object({
      groupId: z.uuid(),
      task: TaskReference.nullable(),
      size: z.int(),
      trajectories: z.array(z.looseObject({ digest: Sha256 })),
    }),
  ),
  isAlone: z.boolean().optional(),
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
