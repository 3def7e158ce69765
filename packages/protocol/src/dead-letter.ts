/**
 * Trajectories that could not be processed: their object is damaged, their check fails, or every
 * lease of them is lost. They are kept apart until the operator retries or deletes them.
 */
import { z } from "zod";
import { Sha256 } from "./policy-version.ts";

// GET    /v1/operator/dead-letters?limit=&cursor= -> DeadLettersResponse, newest first
// POST   /v1/operator/dead-letters/:digest/retry  -> {} ; it is leased again
// DELETE /v1/operator/dead-letters/:digest        -> {} ; removes its content, keeps its row
export type DeadLetter = {
  readonly digest: string;
  /** `lease-failed`, `check-failed`, `object-damaged`, … */
  readonly reason: string;
  /** Leases that ended without an outcome for it. */
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

export type DeadLettersResponse = {
  readonly rows: readonly DeadLetter[];
  readonly nextCursor: string | null;
};
export const DeadLettersResponse: z.ZodType<DeadLettersResponse> = z.object({
  rows: z.array(DeadLetterSchema),
  nextCursor: z.string().nullable(),
});
