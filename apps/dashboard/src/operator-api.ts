/** What the dashboard asks the edge, checked against the schemas both sides share. */
import {
  boundary,
  ErrorBody,
  MetricsResponse,
  OperatorSummary,
  PoliciesResponse,
  PolicyManifest,
  PolicyVersion,
  TrajectoriesResponse,
  TrajectoryDetail,
  WaggleError,
  type WaggleErrorCode,
} from "@waggle/protocol";

/** Of `/v1/operator/trajectories`; an absent one does not filter. */
export type TrajectoryQuery = {
  readonly status?: string | undefined;
  readonly version?: string | undefined;
  readonly success?: string | undefined;
  readonly reason?: string | undefined;
  readonly group?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
};

export interface OperatorApi {
  summary(): Promise<OperatorSummary>;
  policies(): Promise<PoliciesResponse>;
  /** Rows after a step, ascending; all without one. */
  metrics(after?: number): Promise<MetricsResponse>;
  trajectories(query: TrajectoryQuery): Promise<TrajectoriesResponse>;
  trajectory(digest: string): Promise<TrajectoryDetail>;
  manifest(): Promise<PolicyManifest>;
  /** The JSON of a public object. */
  object(sha256: string): Promise<unknown>;
  promote(version: number): Promise<PolicyVersion>;
  rollBack(version: number): Promise<PolicyVersion>;
}

type Schema<T> = { parse(value: unknown): T };

const TIMEOUT_MS = 15_000;

/**
 * Every method throws a WaggleError: the edge's own code, or `NETWORK` (retryable) where it did not
 * answer.
 */
export function createOperatorApi(
  edgeUrl: string,
  credential: string,
  fetchFrom: typeof fetch = (input, init) => fetch(input, init),
): OperatorApi {
  async function ask<T>(path: string, schema: Schema<T>, method = "GET"): Promise<T> {
    const response = await boundary("network", () =>
      fetchFrom(edgeUrl + path, {
        method,
        headers: { authorization: `Bearer ${credential}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
    const body: unknown = await boundary("network", () => response.json());
    if (response.ok) return schema.parse(body);
    const refusal = ErrorBody.safeParse(body);
    throw new WaggleError(
      (refusal.data?.error.code ?? "NETWORK") as WaggleErrorCode,
      refusal.data?.error.message ?? `the edge must answer, got status ${response.status}`,
      { retryable: response.status >= 500 || response.status === 429 },
    );
  }
  return {
    summary: () => ask("/v1/operator/summary", OperatorSummary),
    policies: () => ask("/v1/operator/policies", PoliciesResponse),
    metrics: (after) =>
      ask(`/v1/operator/metrics${after === undefined ? "" : `?after=${after}`}`, MetricsResponse),
    trajectories: (query) => {
      const given = Object.entries(query).filter(
        ([, value]) => value !== undefined && value !== "",
      );
      const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
      return ask(`/v1/operator/trajectories?${text}`, TrajectoriesResponse);
    },
    trajectory: (digest) => ask(`/v1/operator/trajectories/${digest}`, TrajectoryDetail),
    manifest: () => ask("/v1/policies/stable", PolicyManifest),
    object: (sha256) => ask(`/v1/objects/${sha256}`, { parse: (value) => value }),
    promote: (version) => ask(`/v1/operator/policies/${version}/promote`, PolicyVersion, "POST"),
    rollBack: (version) => ask(`/v1/operator/policies/${version}/roll-back`, PolicyVersion, "POST"),
  };
}
