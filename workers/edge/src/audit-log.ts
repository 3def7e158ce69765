/** Log of decisions by operators and the trainer: actor, time and reason. Append-only. */
import type { AuditEntry } from "@waggle/protocol";
import type { SiteDatabase } from "./sites/site-database.ts";

/** Logged decisions. */
export type AuditAction =
  | "publish"
  | "promote"
  | "roll-back"
  | "sign"
  | "set-share"
  | "freeze"
  | "unfreeze"
  | "kill-switch-on"
  | "kill-switch-off"
  | "stop-signal"
  | "start-signal"
  | "delete-visitor"
  | "export-visitor"
  | "write-answer"
  | "write-comment"
  | "release-sender"
  | "retry-dead-letter"
  | "delete-dead-letter"
  | "delete-unfinished-object"
  | "repair"
  | "back-up"
  | "restore"
  | "create-site"
  | "change-site"
  | "disable-site"
  | "enable-site"
  | "rotate-credential";

/** The actor of what the edge decides itself. */
export const EDGE = "edge";

/** Actor, reason and time of a decision. */
export type Decision = { readonly by: string; readonly reason: string; readonly now: number };

/** The statement that adds an entry. Run it in one batch with the change that it describes. */
export function auditStatement(
  db: SiteDatabase,
  action: AuditAction,
  { by, reason, now }: Decision,
  version: number | null = null,
): D1PreparedStatement {
  return db
    .prepare(
      "INSERT INTO auditLog (site, at, actor, action, version, reason) VALUES (?site, ?1, ?2, ?3, ?4, ?5)",
    )
    .bind(now, by, action, version, reason);
}

/** Entries with an id below `before`, newest first. */
export async function listAudit(
  db: SiteDatabase,
  before: number,
  limit: number,
): Promise<AuditEntry[]> {
  const { results } = await db
    .prepare(
      `SELECT id, at, actor AS by, action, version, reason FROM auditLog
       WHERE site = ?site AND id < ?1 ORDER BY id DESC LIMIT ?2`,
    )
    .bind(before, limit)
    .all<Omit<AuditEntry, "at"> & { at: number }>();
  return results.map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
}
