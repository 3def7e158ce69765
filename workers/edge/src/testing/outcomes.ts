/** Sites with metrics, their outcomes, and what an operator sees of them. */
import type {
  OperatorSummary,
  Outcome,
  OutcomesResponse,
  RotateCredentialResponse,
  SiteMetrics,
  StoredOutcome,
  TrajectoryDetail,
} from "@waggle/protocol";
import { ask, asOperator, call, type Reply } from "./edge.ts";
import { makeSite, type TestSite } from "./sites.ts";

/** What the sites of the tests declare. */
export const METRICS: SiteMetrics = {
  booked: { type: "boolean", better: "higher" },
  rating: { type: "number", better: "higher", range: [1, 5] },
};

/** A site and the credential of its server, as options of `call`. */
export type ReportingSite = TestSite & { readonly server: { readonly token: string } };

/** Makes a new credential for the site's server. */
export async function serverCredential(id: string): Promise<{ token: string }> {
  const path = `/v1/operator/sites/${id}/credentials`;
  const body = { role: "outcomes" };
  const { credential } = await ask<RotateCredentialResponse>("POST", path, { ...asOperator, body });
  return { token: credential };
}

/** Creates a site with metrics whose server has a credential. */
export async function makeReportingSite(id: string, metrics = METRICS): Promise<ReportingSite> {
  const site = await makeSite(id, { metrics });
  return { ...site, server: await serverCredential(id) };
}

/** An outcome of a trajectory: `booked` is true unless `edit` says otherwise. */
export function outcomeOf(
  trajectory: { readonly id: string },
  edit: { readonly [member: string]: unknown } = {},
): Outcome {
  return {
    id: crypto.randomUUID(),
    trajectoryId: trajectory.id,
    metric: "booked",
    value: true,
    at: "2026-11-20T12:00:00.000Z",
    ...edit,
  };
}

/** Reports as a page. */
export const reportAsPage = (token: string, body: unknown): Promise<Reply> =>
  call("POST", "/v1/visitor/outcomes", { token, body });

/** Reports as the site's server. @returns the status or error code of each outcome */
export async function reportAsServer(
  { server }: ReportingSite,
  ...outcomes: readonly unknown[]
): Promise<string[]> {
  const answer = await ask<OutcomesResponse>("POST", "/v1/outcomes", {
    ...server,
    body: { outcomes },
  });
  return answer.results.map((one) => (one.status === "refused" ? one.code : one.status));
}

/** The outcomes of one trajectory. */
export async function shownOutcomes(
  { operator }: TestSite,
  digest: string,
): Promise<readonly StoredOutcome[]> {
  const path = `/v1/operator/trajectories/${digest}`;
  return (await ask<TrajectoryDetail>("GET", path, operator)).outcomes ?? [];
}

/** The outcomes of the summary. */
export async function summaryOf({ operator }: TestSite): Promise<OperatorSummary["outcomes"]> {
  return (await ask<OperatorSummary>("GET", "/v1/operator/summary", operator)).outcomes;
}
