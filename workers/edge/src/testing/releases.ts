/** A site that releases candidates, its visitors, and what an operator sees. */
import { runInDurableObject } from "cloudflare:test";
import {
  DEFAULT_SITE,
  type PolicyManifest,
  type Release,
  type ReleaseSetting,
  type ReleasesResponse,
  type SessionResponse,
  type SiteMetrics,
  type Trajectory,
} from "@waggle/protocol";
import { coordinatorOf } from "../coordinator.ts";
import type { StoredDecision } from "../releases/release-store.ts";
import { forgetSites } from "../sites/site-directory.ts";
import {
  ask,
  asOperator,
  bindings,
  call,
  makeUpload,
  openSession,
  type Reply,
  type Upload,
  upload,
} from "./edge.ts";

/** Two shares and few requests, so that a test can finish a release. */
export const QUICK: ReleaseSetting = {
  metric: "thumb",
  horizon: 400,
  stages: [
    { share: 0.4, exposure: 0.01 },
    { share: 0.6, exposure: 0.05 },
  ],
};

/** Sets how the site `default` releases. */
export async function setRelease(
  gateRelease: ReleaseSetting | null,
  metrics: SiteMetrics = {},
): Promise<Reply> {
  const reply = await call("PUT", `/v1/operator/sites/${DEFAULT_SITE}`, {
    ...asOperator,
    body: { settings: { gateRelease, metrics } },
  });
  forgetSites();
  return reply;
}

/** Counts and decides, as the alarm does. */
export const advance = (now: number = Date.now()): Promise<StoredDecision | null> =>
  runInDurableObject(coordinatorOf(bindings, DEFAULT_SITE), (object) => object.advanceRelease(now));

/** The newest release. */
export async function shownRelease(): Promise<Release> {
  const { releases } = await ask<ReleasesResponse>("GET", "/v1/operator/releases", asOperator);
  const [newest] = releases;
  if (newest === undefined) throw new Error("there is no release");
  return newest;
}

/** A request that a version served. */
export async function liveRequest(
  baseModel: string,
  policyVersion: number,
  edit: Partial<Trajectory> = {},
): Promise<Upload> {
  const { trajectory } = await makeUpload(baseModel, null);
  const segments = trajectory.segments.map((segment) =>
    segment.kind === "sampled" ? { ...segment, policyVersion } : segment,
  );
  return makeUpload(baseModel, null, { policyVersion, segments, ...edit });
}

/** The version that the edge serves to a visitor. */
export async function servedVersion(token: string): Promise<number> {
  return (await ask<PolicyManifest>("GET", "/v1/policy", { token })).policy.version;
}

/** Gives a thumb. */
export const thumb = (token: string, trajectoryId: string, isUp: boolean): Promise<unknown> =>
  ask("POST", "/v1/feedback", {
    token,
    body: {
      id: crypto.randomUUID(),
      trajectoryId,
      kind: isUp ? "thumb-up" : "thumb-down",
      at: "2026-11-20T12:00:00.000Z",
    },
  });

/** A new visitor asks once and gives a thumb, which depends on the version that answered. */
export async function visit(
  baseModel: string,
  isGood: (version: number) => boolean,
): Promise<{ readonly session: SessionResponse; readonly version: number }> {
  const session = await openSession();
  const { token } = session;
  const version = await servedVersion(token);
  const request = await liveRequest(baseModel, version);
  const { results } = await upload(token, request);
  if (results[0]?.status !== "accepted") throw new Error(`got ${JSON.stringify(results)}`);
  await thumb(token, request.trajectory.id, isGood(version));
  return { session, version };
}

/** Rows of a release that has ended, as they are before its visitors are deleted. */
export async function storeRelease(
  site: string,
  visitorId: string,
  trajectoryId: string,
): Promise<void> {
  const rows: readonly (readonly [table: string, ...values: readonly unknown[]])[] = [
    ["releases", site, 9, 1, "{}", 0, 0.01, "promoted", 1, 2, null],
    ["releaseVisitors", site, 9, visitorId, 0, "candidate", 0, "closed"],
    ["releaseRequests", site, 9, trajectoryId, visitorId, 0, "candidate", 1],
    ["releaseValues", site, 9, visitorId, "thumb", 0, "candidate", 1, 1],
    ["releaseSums", site, 9, 0, "stable", "thumb", 1, 1, 1, 1, 1, 1],
  ];
  const statements = rows.map(([table, ...values]) =>
    bindings.DB.prepare(
      `INSERT INTO "${table}" VALUES (${values.map((_, i) => `?${i + 1}`).join(", ")})`,
    ).bind(...values),
  );
  await bindings.DB.batch(statements);
}
