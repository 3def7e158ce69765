/** Backup and restore of one site's rows, with the objects of its trajectories. */
import { z } from "zod";

/**
 * Tables of a backup, in the order in which they are restored: who was forgotten first, so that nothing of them is stored
 * again. Counts that a restore counts again are left out, and so is what is of use for days at most. Reputations are in it,
 * because they outlive the trajectories that they count.
 */
export const BACKUP_TABLES = [
  "forgottenVisitors",
  "forgottenTrajectories",
  "baseModel",
  "policies",
  "counters",
  "objects",
  "switches",
  "signalSwitches",
  "metrics",
  "lineages",
  "reputations",
  "taskGroups",
  "assignments",
  "requestSeeds",
  "leases",
  "consents",
  "trajectories",
  "feedback",
  "outcomes",
  "staffNotes",
  "conversationLinks",
  "responses",
  "deadLetters",
  "releases",
  "releaseArms",
  "releaseSums",
  "operatorLogins",
  "auditLog",
] as const;

/** A table of a backup. */
export type BackupTable = z.infer<typeof BackupTable>;
export const BackupTable = z.enum(BACKUP_TABLES);

/** A row without its site. */
export type BackupRow = z.infer<typeof BackupRow>;
export const BackupRow = z.strictObject({
  row: z.record(
    z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/),
    z.union([z.string(), z.number(), z.null()]),
  ),
  /** Of a trajectory: the canonical JSON. `null` if its object is missing or damaged. */
  object: z.string().nullable().optional(),
});

/** Answer of `GET /v1/operator/sites/:site/backup/:table?cursor=`. */
export type BackupResponse = z.infer<typeof BackupResponse>;
export const BackupResponse = z.object({
  rows: z.array(BackupRow),
  nextCursor: z.string().nullable(),
});

/** Most rows of one restore request. */
export const RESTORE_ROWS = 100;

/** Body of `PUT /v1/operator/sites/:site/backup/:table`. */
export type RestoreRequest = z.infer<typeof RestoreRequest>;
export const RestoreRequest = z.strictObject({ rows: z.array(BackupRow).max(RESTORE_ROWS) });

/** Answer of `PUT /v1/operator/sites/:site/backup/:table`. */
export type RestoreResponse = z.infer<typeof RestoreResponse>;
export const RestoreResponse = z.object({
  stored: z.int(),
  /** Rows of visitors who were forgotten; they are not stored. */
  forgotten: z.int(),
});
