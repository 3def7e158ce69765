/** Trajectory rows as the operator reads them, filtered and paged. */
import type { TaskReference, TrajectoriesResponse, TrajectoryRow } from "@waggle/protocol";
import { z } from "zod";

type Stored = Omit<TrajectoryRow, "receivedAt" | "status" | "task" | "success"> & {
  receivedAt: number;
  status: "stored" | "ready" | "leased" | "learned" | "rejected" | "skipped";
  environment: string | null;
  seed: number;
  split: TaskReference["split"];
  success: number | null;
  objectKey: string;
};

const COLUMNS = `digest, id, visitorId, groupId, receivedAt, status, reason, policyVersion, environment,
  seed, split, tokens, stopReason, reward, success, advantage, learnedAtStep, staleness,
  logProbGapMean, logProbGapMax, objectKey`;

function toRow(stored: Stored): TrajectoryRow {
  const { environment, seed, split, objectKey: _, status, ...rest } = stored;
  return {
    ...rest,
    receivedAt: new Date(stored.receivedAt).toISOString(),
    status: status === "stored" || status === "ready" ? "waiting" : status,
    task: environment === null ? null : { environment, seed, split },
    success: stored.success === null ? null : stored.success === 1,
  };
}

export const TrajectoryFilter = z.strictObject({
  status: z
    .enum(["waiting", "leased", "learned", "rejected", "skipped"])
    .optional()
    .describe("Only of this status."),
  version: z.coerce.number().int().min(0).optional().describe("Only sampled by this version."),
  success: z.enum(["true", "false"]).optional().describe("Only solved, or only unsolved."),
  reason: z.string().max(64).optional().describe("Only refused or skipped for this reason."),
  group: z.uuid().optional().describe("Only of this group."),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("Rows, at most 200."),
  cursor: z
    .string()
    .regex(/^\d{1,16}\.[0-9a-f]{64}$/)
    .optional()
    .describe("`nextCursor` of the page before."),
});
export type TrajectoryFilter = z.infer<typeof TrajectoryFilter>;

/** One page of rows, newest first. */
export async function listRows(
  db: D1Database,
  filter: TrajectoryFilter,
): Promise<TrajectoriesResponse> {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, ...bound: (string | number)[]) => {
    conditions.push(condition);
    values.push(...bound);
  };
  if (filter.status === "waiting") add("status IN ('stored', 'ready')");
  else if (filter.status !== undefined) add("status = ?", filter.status);
  if (filter.version !== undefined) add("policyVersion = ?", filter.version);
  if (filter.success !== undefined) add("success = ?", filter.success === "true" ? 1 : 0);
  if (filter.reason !== undefined) add("reason = ?", filter.reason);
  if (filter.group !== undefined) add("groupId = ?", filter.group);
  if (filter.cursor !== undefined) {
    const [receivedAt = "", digest = ""] = filter.cursor.split(".");
    add("(receivedAt, digest) < (?, ?)", Number(receivedAt), digest);
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM trajectories ${where} ORDER BY receivedAt DESC, digest DESC LIMIT ?`,
    )
    .bind(...values, filter.limit + 1)
    .all<Stored>();
  const page = results.slice(0, filter.limit);
  const last = page.at(-1);
  return {
    rows: page.map(toRow),
    nextCursor: results.length > page.length && last ? `${last.receivedAt}.${last.digest}` : null,
  };
}

/** Rows of one visitor after a digest, in the order of digests, with where their objects lie. */
export async function rowsOfVisitor(
  db: D1Database,
  visitorId: string,
  after: string,
  limit: number,
): Promise<{ row: TrajectoryRow; objectKey: string }[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM trajectories WHERE visitorId = ?1 AND digest > ?2
       ORDER BY digest LIMIT ?3`,
    )
    .bind(visitorId, after, limit)
    .all<Stored>();
  return results.map((stored) => ({ row: toRow(stored), objectKey: stored.objectKey }));
}

/** One row and where its object lies, `null` for an unknown digest. */
export async function findRow(
  db: D1Database,
  digest: string,
): Promise<{ row: TrajectoryRow; objectKey: string } | null> {
  const stored = await db
    .prepare(`SELECT ${COLUMNS} FROM trajectories WHERE digest = ?1`)
    .bind(digest)
    .first<Stored>();
  return stored && { row: toRow(stored), objectKey: stored.objectKey };
}
