/** The comparison of what an edge stores for a site: objects, rows, leases, dead letters and notes. */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";

/** What the comparison finds. `docs/how-to/repair.md` says for each what a repair does. */
const FindingKind = z.enum([
  "object-without-row",
  "row-without-object",
  "file-missing",
  "file-not-listed",
  "lease-not-ended",
  "row-without-lease",
  "group-without-lease",
  "letter-without-row",
  "note-without-row",
  "dead-letter",
]);

/** One thing that does not fit. */
export type Finding = z.infer<typeof Finding>;
const Finding = readOnly(
  z.object({
    kind: FindingKind,
    /** Digest, key, hash or id of what was found. */
    name: z.string(),
    /** What is known about it, in words. */
    detail: z.string(),
    repaired: z.boolean(),
  }),
);

/** Body of `POST /v1/operator/reconcile`, which compares one page. */
export type ReconcileRequest = z.infer<typeof ReconcileRequest>;
export const ReconcileRequest = z.strictObject({
  /** `nextCursor` of the page before; `null` for the first. */
  cursor: z.string().max(1200).nullable(),
  /** `false` changes nothing. */
  repair: z.boolean(),
});

/** Answer of `POST /v1/operator/reconcile`. */
export type ReconcileResponse = z.infer<typeof ReconcileResponse>;
export const ReconcileResponse = readOnly(
  z.object({
    /** Objects, rows, files, leases, groups, letters and notes that this page compared. */
    checked: z.int(),
    found: z.array(Finding),
    /** `null` after the last page. */
    nextCursor: z.string().nullable(),
  }),
);
