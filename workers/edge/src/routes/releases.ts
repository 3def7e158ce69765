/** The releases of a site, for the operator. Promote and roll back are those of policies. */
import { armInterval, metricDifferences } from "@waggle/evaluation";
import { type Release, ReleasesResponse } from "@waggle/protocol";
import { answer } from "../answer.ts";
import type { Endpoint } from "../endpoint.ts";
import { releaseCounts, releaseRequests } from "../releases/release-counts.ts";
import { newestReleases, type StoredRelease } from "../releases/release-store.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

async function shown(db: SiteDatabase, release: StoredRelease): Promise<Release> {
  const { version, stable, state, share, startedAt, endedAt, decision } = release;
  const { rule, metrics } = release.plan;
  const counts = await releaseCounts(db, release);
  const requests = await releaseRequests(db, release);
  // Counts that contradict each other have no difference. The decision says so.
  const found = await answer(async () => metricDifferences(rule, counts));
  const meanOf = async (arm: "candidate" | "stable", name: string) => {
    const sums = counts.stages.flatMap((stage) => stage.metrics[name]?.[arm] ?? []);
    const sum = (of: "visitors" | "values" | "total"): number =>
      sums.reduce((all, one) => all + one[of], 0);
    const [visitors, values] = [sum("visitors"), sum("values")];
    const interval = await answer(async () =>
      visitors < rule.minVisitors ? null : armInterval(sums),
    );
    return {
      visitors,
      values,
      mean: values === 0 ? null : sum("total") / values,
      interval: interval.ok ? interval.value : null,
    };
  };
  return {
    version,
    stable,
    state,
    startedAt: iso(startedAt),
    endedAt: endedAt === null ? null : iso(endedAt),
    share,
    horizon: rule.horizon,
    stages: rule.stages.slice(0, requests.length).map((stage, i) => ({
      share: stage.share,
      needed: Math.ceil(stage.exposure * rule.horizon),
      candidate: requests[i]?.candidate ?? 0,
      stable: requests[i]?.stable ?? 0,
    })),
    metrics: await Promise.all(
      metrics.map(async ({ name }, i) => ({
        name,
        candidate: await meanOf("candidate", name),
        stable: await meanOf("stable", name),
        difference: found.ok ? (found.value[i] ?? null) : null,
      })),
    ),
    decision: decision && { ...decision, at: iso(decision.at) },
  };
}

/** `/v1/operator/releases`. */
export const releaseEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/operator/releases",
    operationId: "listReleases",
    summary: "The newest releases with their counts by version, newest first.",
    access: "operator",
    responses: { 200: ReleasesResponse },
    handle: async (context) => {
      const { db } = context.var;
      const releases = await newestReleases(db);
      const answered: ReleasesResponse = {
        releases: await Promise.all(releases.map((release) => shown(db, release))),
      };
      return context.json(answered);
    },
  },
];
