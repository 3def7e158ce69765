/**
 * Trajectories that could not be processed: the stored object is damaged, a check fails, or their
 * leases kept getting lost. They are set aside until an operator retries or deletes them.
 */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";
import { Sha256 } from "./policy-version.ts";

/**
 * One trajectory that was set aside. `POST /v1/operator/dead-letters/:digest/retry` leases it again;
 * `DELETE /v1/operator/dead-letters/:digest` removes its content and keeps its row.
 */
export type DeadLetter = z.infer<typeof DeadLetter>;
const DeadLetter = readOnly(
  z.object({
    digest: Sha256,
    /** `lease-failed`, `check-failed`, `object-damaged`, … */
    reason: z.string(),
    /** Leases that ended without an outcome for this trajectory. */
    failedLeases: z.int(),
    receivedAt: z.iso.datetime(),
    diedAt: z.iso.datetime(),
    groupId: z.uuid().nullable(),
    sizeBytes: z.int(),
  }),
);

/** Answer of `GET /v1/operator/dead-letters?limit=&cursor=`, newest first. */
export type DeadLettersResponse = z.infer<typeof DeadLettersResponse>;
export const DeadLettersResponse = readOnly(
  z.object({
    rows: z.array(DeadLetter),
    nextCursor: z.string().nullable(),
  }),
);
