/**
 * Trajectories that could not be processed: the stored object is damaged, a check fails, or their
 * leases kept getting lost. They are set aside until an operator retries or deletes them.
 */
import { z } from "zod";
import { Sha256 } from "./policy-version.ts";

/**
 * One trajectory that was set aside. `POST /v1/operator/dead-letters/:digest/retry` leases it again;
 * `DELETE /v1/operator/dead-letters/:digest` removes its content and keeps its row.
 */
export type DeadLetter = {
  readonly digest: string;
  /** `lease-failed`, `check-failed`, `object-damaged`, … */
  readonly reason: string;
  /** Leases that ended without an outcome for this trajectory. */
  readonly failedLeases: number;
  readonly receivedAt: string;
  readonly diedAt: string;
  readonly groupId: string | null;
  readonly sizeBytes: number;
};
const DeadLetterSchema: z.ZodType<DeadLetter> = z.object({
  digest: Sha256,
  reason: z.string(),
  failedLeases: z.int(),
  receivedAt: z.iso.datetime(),
  diedAt: z.iso.datetime(),
  groupId: z.uuid().nullable(),
  sizeBytes: z.int(),
});

/** Answer of `GET /v1/operator/dead-letters?limit=&cursor=`, newest first. */
export type DeadLettersResponse = {
  readonly rows: readonly DeadLetter[];
  readonly nextCursor: string | null;
};
export const DeadLettersResponse: z.ZodType<DeadLettersResponse> = z.object({
  rows: z.array(DeadLetterSchema),
  nextCursor: z.string().nullable(),
});
