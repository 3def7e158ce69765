/** Log of what operators and the trainer decided: who, when, why. Entries are only added. */
import type { AuditEntry } from "@waggle/protocol";

export type AuditAction =
  | "publish"
  | "promote"
  | "roll-back"
  | "freeze"
  | "unfreeze"
  | "kill-switch-on"
  | "kill-switch-off"
  | "delete-visitor"
  | "export-visitor"
  | "retry-dead-letter"
  | "delete-dead-letter";

/** Who decides, when, and why. */
export type Decision = { readonly by: string; readonly reason: string; readonly now: number };

/** The statement that adds an entry; run it in one batch with the change that it describes. */
export function auditStatement(
  db: D1Database,
  action: AuditAction,
  { by, reason, now }: Decision,
  version: number | null = null,
): D1PreparedStatement {
  return db
    .prepare(
      "INSERT INTO auditLog (at, actor, action, version, reason) VALUES (?1, ?2, ?3, ?4, ?5)",
    )
    .bind(now, by, action, version, reason);
}

/** Entries older than `before`, newest first. */
export async function listAudit(
  db: D1Database,
  before: number,
  limit: number,
): Promise<AuditEntry[]> {
  const { results } = await db
    .prepare(
      `SELECT id, at, actor AS by, action, version, reason FROM auditLog
       WHERE id < ?1 ORDER BY id DESC LIMIT ?2`,
    )
    .bind(before, limit)
    .all<Omit<AuditEntry, "at"> & { at: number }>();
  return results.map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
}
