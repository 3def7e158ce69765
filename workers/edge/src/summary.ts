/** The operator's summary, read from counters that triggers maintain. Its cost does not grow with the data. */
import type { OperatorSummary, SiteMetrics } from "@waggle/protocol";
import { summarizeOutcomes } from "./outcomes/outcome-summary.ts";
import { responsesByStratum } from "./awaited-feedback.ts";
import { policyHead } from "./policy-store.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

/** Versions in the summary, newest first. */
const NEWEST_VERSIONS = 200;

type Tally = { name: string; key: string; count: number };
type VersionTally = {
  version: number;
  trajectories: number;
  successes: number;
  rewarded: number;
  reward: number;
  tokens: number;
};

/** Counts over all stored data. @throws WaggleError `NOT_FOUND` before there is a base model */
export async function summarize(db: SiteDatabase, metrics: SiteMetrics): Promise<OperatorSummary> {
  const [policies, tallied, versions] = await Promise.all([
    policyHead(db),
    db
      .prepare(
        `SELECT name, key, count FROM tallies
         WHERE site = ?site AND count > 0 ORDER BY count DESC, key`,
      )
      .bind()
      .all<Tally>(),
    db
      .prepare(
        `SELECT version, trajectories, successes, rewarded, reward, tokens FROM versionTallies
         WHERE site = ?site AND trajectories > 0
         ORDER BY version DESC LIMIT ${NEWEST_VERSIONS}`,
      )
      .bind()
      .all<VersionTally>(),
  ]);
  const tallies = Map.groupBy(tallied.results, ({ name }) => name);
  const byStatus = new Map(tallies.get("status")?.map(({ key, count }) => [key, count]));
  const count = (...statuses: string[]) =>
    statuses.reduce((sum, status) => sum + (byStatus.get(status) ?? 0), 0);
  const reasons = (status: string) =>
    (tallies.get(status) ?? []).map(({ key, count: n }) => ({ reason: key, count: n }));
  const total = (name: string) => tallies.get(name)?.[0]?.count ?? 0;
  return {
    trajectories: {
      received: count(...byStatus.keys()),
      waiting: count("stored", "ready"),
      leased: count("leased"),
      learned: count("learned"),
      rejected: count("rejected"),
      skipped: count("skipped"),
    },
    rejectedByReason: reasons("rejected"),
    skippedByReason: reasons("skipped"),
    byVersion: versions.results
      .map((row) => ({
        version: row.version,
        trajectories: row.trajectories,
        successes: row.successes,
        meanReward: row.rewarded === 0 ? null : row.reward / row.rewarded,
        meanTokens: row.tokens / row.trajectories,
      }))
      .toReversed(),
    feedback: (tallies.get("feedback") ?? [])
      .map(({ key, count: n }) => ({ kind: key, count: n }))
      .toSorted((a, b) => a.kind.localeCompare(b.kind)),
    outcomes: await summarizeOutcomes(db, metrics, {
      liveTrajectories: total("live"),
      withOutcome: total("liveWithOutcome"),
    }),
    responses: {
      requests: total("live"),
      bySignal: (tallies.get("heard") ?? []).map(({ key, count: n }) => ({
        signal: key,
        requests: n,
      })),
      byStratum: await responsesByStratum(db),
    },
    visitors: total("visitors"),
    stable: policies.stable,
    canary: policies.canary,
  };
}
