/** Trajectory rows for the operator, filtered and paged. */
import {
  type TaskReference,
  ToolDifference,
  type TrajectoriesResponse,
  type TrajectoryRow,
} from "@waggle/protocol";
import { z } from "zod";
import type { SiteDatabase } from "./sites/site-database.ts";

type Stored = Omit<
  TrajectoryRow,
  "receivedAt" | "status" | "task" | "success" | "difference" | "hasEdgeSeed"
> & {
  receivedAt: number;
  status: "stored" | "ready" | "leased" | "learned" | "rejected" | "skipped";
  environment: string | null;
  seed: number;
  split: TaskReference["split"];
  success: number | null;
  /** As JSON. */
  difference: string | null;
  samplingSeed: number | null;
  objectKey: string;
};

const COLUMNS = `digest, id, visitorId, groupId, receivedAt, status, reason, difference, policyVersion,
  environment, seed, split, tokens, stopReason, reward, success, advantage, learnedAtStep, staleness,
  logProbGapMean, logProbGapMax, samplingSeed, drawMismatches, objectKey`;

function toRow(stored: Stored): TrajectoryRow {
  const { environment, seed, split, samplingSeed, objectKey: _, status, ...rest } = stored;
  return {
    ...rest,
    receivedAt: new Date(stored.receivedAt).toISOString(),
    status: status === "stored" || status === "ready" ? "waiting" : status,
    task: environment === null ? null : { environment, seed, split },
    success: stored.success === null ? null : stored.success === 1,
    hasEdgeSeed: samplingSeed !== null,
    difference: ToolDifference.safeParse(JSON.parse(stored.difference ?? "null")).data ?? null,
  };
}

/** Query parameters of the list. */
export const TrajectoryFilter = z.strictObject({
  status: z
    .enum(["waiting", "leased", "learned", "rejected", "skipped"])
    .optional()
    .describe("Only rows with this status."),
  version: z.coerce.number().int().min(0).optional().describe("Only rows sampled by this version."),
  success: z.enum(["true", "false"]).optional().describe("Only solved, or only unsolved, rows."),
  reason: z.string().max(64).optional().describe("Only rows refused or skipped for this reason."),
  group: z.uuid().optional().describe("Only rows of this group."),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("Rows, at most 200."),
  cursor: z
    .string()
    .regex(/^\d{1,16}\.[0-9a-f]{64}$/)
    .optional()
    .describe("`nextCursor` of the previous page."),
});
export type TrajectoryFilter = z.infer<typeof TrajectoryFilter>;

/** Rows that one page may scan if an index serves only one of several filters. */
const WINDOW = 500;

type Condition = { readonly column: string; readonly value: string | number };

/** Conditions of the filters; the one whose index leaves the fewest rows comes first. */
function conditionsOf(filter: TrajectoryFilter): Condition[] {
  const { group, reason, version, success, status } = filter;
  return [
    ...(group === undefined ? [] : [{ column: "groupId", value: group }]),
    ...(reason === undefined ? [] : [{ column: "reason", value: reason }]),
    ...(version === undefined ? [] : [{ column: "policyVersion", value: version }]),
    ...(success === undefined ? [] : [{ column: "success", value: success === "true" ? 1 : 0 }]),
    ...(status === undefined || status === "waiting" ? [] : [{ column: "status", value: status }]),
  ];
}

/**
 * One page of rows, newest first. The first filter uses its index; the others are applied to a window of bounded
 * size. So a page may have fewer rows than requested although more follow.
 */
export async function listRows(
  db: SiteDatabase,
  filter: TrajectoryFilter,
): Promise<TrajectoriesResponse> {
  const values: (string | number)[] = [];
  const bound = (value: string | number): string => `?${values.push(value)}`;
  const [first, ...others] = conditionsOf(filter).map(
    ({ column, value }) => `${column} = ${bound(value)}`,
  );
  const isWaiting = filter.status === "waiting";
  const waiting = isWaiting ? ["status IN ('stored', 'ready')"] : [];
  // Without another filter, waiting rows are read from two ranges of one index.
  const places = isWaiting && !first ? ["status = 'stored'", "status = 'ready'"] : [null];
  const rest = [...others, ...(first ? waiting : [])];
  const most = rest.length === 0 ? filter.limit + 1 : WINDOW;
  const [receivedAt = "", digest = ""] = filter.cursor?.split(".") ?? [];
  const from =
    filter.cursor === undefined
      ? []
      : [`(receivedAt, digest) < (${bound(Number(receivedAt))}, ${bound(digest)})`];
  // With a group, the index of the newest rows would be a scan of all of them.
  const site = filter.group === undefined ? "site = ?site" : "+site = ?site";
  const selects = places.map((place) => {
    const all = [site, ...(place === null ? [] : [place]), ...(first ? [first] : []), ...from];
    return `SELECT * FROM (SELECT * FROM trajectories WHERE ${all.join(" AND ")}
                           ORDER BY receivedAt DESC, digest DESC LIMIT ${most})`;
  });
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS}, ${rest.length === 0 ? "1" : rest.join(" AND ")} AS fits
       FROM (${selects.join(" UNION ALL ")}) ORDER BY receivedAt DESC, digest DESC LIMIT ${most}`,
    )
    .bind(...values)
    .all<Stored & { fits: number }>();
  const fitting = results.filter(({ fits }) => fits === 1);
  const page = fitting.slice(0, filter.limit);
  const last = fitting.length > page.length ? page.at(-1) : results[most - 1];
  return {
    rows: page.map((found) => {
      const { fits: _, ...row } = found;
      return toRow(row);
    }),
    nextCursor: last === undefined ? null : `${last.receivedAt}.${last.digest}`,
  };
}

/** Rows of one visitor after a digest, ordered by digest, with the keys of their objects. */
export async function rowsOfVisitor(
  db: SiteDatabase,
  visitorId: string,
  after: string,
  limit: number,
): Promise<{ row: TrajectoryRow; objectKey: string }[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM trajectories WHERE site = ?site AND visitorId = ?1 AND digest > ?2
       ORDER BY digest LIMIT ?3`,
    )
    .bind(visitorId, after, limit)
    .all<Stored>();
  return results.map((stored) => ({ row: toRow(stored), objectKey: stored.objectKey }));
}

/** One row with the key of its object; `null` for an unknown digest. */
export async function findRow(
  db: SiteDatabase,
  digest: string,
): Promise<{ row: TrajectoryRow; objectKey: string } | null> {
  const stored = await db
    .prepare(`SELECT ${COLUMNS} FROM trajectories WHERE site = ?site AND digest = ?1`)
    .bind(digest)
    .first<Stored>();
  return stored && { row: toRow(stored), objectKey: stored.objectKey };
}
