/** The operator's summary, counted in D1. */
import type { OperatorSummary } from "@waggle/protocol";
import { policyHead } from "./policy-book.ts";

/** Counts over everything that is stored. @throws WaggleError `NOT_FOUND` before a base model */
export async function summarize(db: D1Database): Promise<OperatorSummary> {
  const [policies, [byStatus, byReason, byVersion, feedback, visitors]] = await Promise.all([
    policyHead(db),
    db.batch<Record<string, number | string | null>>([
      db.prepare("SELECT status, COUNT(*) AS count FROM trajectories GROUP BY status"),
      db.prepare(
        `SELECT COALESCE(reason, 'unknown') AS reason, COUNT(*) AS count FROM trajectories
         WHERE status = 'rejected' GROUP BY 1 ORDER BY count DESC, reason`,
      ),
      // Judged ones only: what still waits would count as a failure.
      db.prepare(
        `SELECT policyVersion AS version, COUNT(*) AS trajectories, SUM(success) AS successes,
                AVG(reward) AS meanReward, AVG(tokens) AS meanTokens
         FROM trajectories WHERE assignmentId IS NOT NULL AND success IS NOT NULL
         GROUP BY policyVersion ORDER BY policyVersion`,
      ),
      db.prepare("SELECT kind, COUNT(*) AS count FROM feedback GROUP BY kind ORDER BY kind"),
      db.prepare("SELECT COUNT(DISTINCT visitorId) AS count FROM trajectories"),
    ]),
  ]);
  const counts = new Map(byStatus?.results.map((row) => [row["status"], Number(row["count"])]));
  const count = (...statuses: string[]) =>
    statuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  return {
    trajectories: {
      received: [...counts.values()].reduce((sum, n) => sum + n, 0),
      waiting: count("stored", "ready"),
      leased: count("leased"),
      learned: count("learned"),
      rejected: count("rejected"),
      skipped: count("skipped"),
    },
    rejectedByReason: (byReason?.results ?? []).map((row) => ({
      reason: String(row["reason"]),
      count: Number(row["count"]),
    })),
    byVersion: (byVersion?.results ?? []).map((row) => ({
      version: Number(row["version"]),
      trajectories: Number(row["trajectories"]),
      successes: Number(row["successes"]),
      meanReward: number(row["meanReward"]),
      meanTokens: number(row["meanTokens"]),
    })),
    feedback: (feedback?.results ?? []).map((row) => ({
      kind: String(row["kind"]),
      count: Number(row["count"]),
    })),
    visitors: Number(visitors?.results[0]?.["count"] ?? 0),
    stable: policies.stable,
    canary: policies.canary,
  };
}
