/** Requests to the edge. Responses are validated with the shared schemas. */
import {
  AuditResponse,
  boundary,
  ControlState,
  ConsentResponse,
  DeletionResponse,
  DeadLettersResponse,
  ErrorBody,
  type KillMode,
  MetricsResponse,
  OPERATOR_NAME_HEADER,
  OperatorHealth,
  OperatorSummary,
  PoliciesResponse,
  PolicyManifest,
  PolicyVersion,
  type PromoteRequest,
  QuarantineResponse,
  ReleasesResponse,
  SITE_HEADER,
  StaffNote,
  type StaffNoteRequest,
  SitesResponse,
  TrajectoriesResponse,
  TrajectoryDetail,
  VersionReportResponse,
  WaggleError,
  type WaggleErrorCode,
} from "@waggle/protocol";

/** Filters of `/v1/operator/trajectories`; an absent field does not filter. */
export type TrajectoryQuery = {
  readonly status?: string | undefined;
  readonly version?: string | undefined;
  readonly success?: string | undefined;
  readonly reason?: string | undefined;
  readonly group?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
};

/** The edge's operator API. */
export interface OperatorApi {
  summary(): Promise<OperatorSummary>;
  health(): Promise<OperatorHealth>;
  policies(): Promise<PoliciesResponse>;
  /** The newest releases, newest first. Edges whose policies have no `release` do not answer it. */
  releases(): Promise<ReleasesResponse>;
  /** Rows after a step, in ascending order; without a step, all rows. */
  metrics(after?: number): Promise<MetricsResponse>;
  trajectories(query: TrajectoryQuery): Promise<TrajectoriesResponse>;
  trajectory(digest: string): Promise<TrajectoryDetail>;
  /** Stores a note of staff on a trajectory. */
  addNote(digest: string, note: StaffNoteRequest): Promise<StaffNote>;
  manifest(): Promise<PolicyManifest>;
  /** A public object, parsed as JSON. */
  object(sha256: string): Promise<unknown>;
  promote(version: number, request?: PromoteRequest): Promise<PolicyVersion>;
  rollBack(version: number, reason?: string): Promise<PolicyVersion>;
  /** What a version learned from. `NOT_FOUND` if the trainer sent no report. */
  versionReport(version: number): Promise<VersionReportResponse>;
  control(): Promise<ControlState>;
  freeze(reason: string): Promise<ControlState>;
  unfreeze(): Promise<ControlState>;
  setKillSwitch(mode: KillMode, reason: string): Promise<ControlState>;
  clearKillSwitch(): Promise<ControlState>;
  /** Trainers learn nothing more from the signal. */
  stopSignal(signal: string, reason: string): Promise<ControlState>;
  startSignal(signal: string): Promise<ControlState>;
  /** The newest entries of the audit log. */
  audit(): Promise<AuditResponse>;
  consent(): Promise<ConsentResponse>;
  /** The visitor's data as JSON lines. */
  exportVisitor(visitorId: string): Promise<Blob>;
  deleteVisitor(visitorId: string): Promise<DeletionResponse>;
  /** Visitors and networks in quarantine. Edges of the previous release do not answer it. */
  quarantine(): Promise<QuarantineResponse>;
  /** Ends the quarantine of a visitor or network. */
  release(sender: string): Promise<unknown>;
  /** The newest dead letters. */
  deadLetters(): Promise<DeadLettersResponse>;
  retryDeadLetter(digest: string): Promise<unknown>;
  deleteDeadLetter(digest: string): Promise<unknown>;
  /** All sites, for the installation's credential. */
  sites(): Promise<SitesResponse>;
}

type Schema<T> = { parse(value: unknown): T };

const TIMEOUT_MS = 15_000;

/**
 * Creates a client. Every method throws a WaggleError: with the edge's own code, or `NETWORK` (retryable) if
 * the edge did not respond.
 *
 * @param operatorName - returns the name for the audit log; read at every call.
 * @param site - the site that every request is about; `null`: the credential's own.
 */
export function createOperatorApi(
  edgeUrl: string,
  credential: string,
  fetchFrom: typeof fetch = (input, init) => fetch(input, init),
  operatorName: () => string = () => "",
  site: string | null = null,
): OperatorApi {
  /** Sends a request. @returns a successful response */
  async function send(path: string, method: string, json?: unknown): Promise<Response> {
    const response = await boundary("network", () =>
      fetchFrom(edgeUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${credential}`,
          [OPERATOR_NAME_HEADER]: encodeURIComponent(operatorName()),
          ...(site === null ? {} : { [SITE_HEADER]: site }),
          ...(json === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
    if (response.ok) return response;
    const body: unknown = await boundary("network", () => response.json());
    const refusal = ErrorBody.safeParse(body);
    throw new WaggleError(
      (refusal.data?.error.code ?? "NETWORK") as WaggleErrorCode,
      refusal.data?.error.message ?? `the edge responded with status ${response.status}`,
      { retryable: response.status >= 500 || response.status === 429 },
    );
  }
  async function ask<T>(
    path: string,
    schema: Schema<T>,
    method = "GET",
    json?: unknown,
  ): Promise<T> {
    const response = await send(path, method, json);
    return schema.parse(await boundary("network", () => response.json()));
  }
  const switchOf = (signal: string) => `/v1/operator/stopped-signals/${encodeURIComponent(signal)}`;
  const visitor = (id: string) => `/v1/operator/visitors/${encodeURIComponent(id)}`;
  return {
    summary: () => ask("/v1/operator/summary", OperatorSummary),
    health: () => ask("/v1/operator/health", OperatorHealth),
    policies: () => ask("/v1/operator/policies", PoliciesResponse),
    releases: () => ask("/v1/operator/releases", ReleasesResponse),
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
    addNote: (digest, note) =>
      ask(`/v1/operator/trajectories/${digest}/notes`, StaffNote, "POST", note),
    manifest: () => ask("/v1/policies/stable", PolicyManifest),
    object: (sha256) => ask(`/v1/objects/${sha256}`, { parse: (value) => value }),
    promote: (version, request = {}) =>
      ask(`/v1/operator/policies/${version}/promote`, PolicyVersion, "POST", request),
    rollBack: (version, reason = "") =>
      ask(`/v1/operator/policies/${version}/roll-back`, PolicyVersion, "POST", { reason }),
    versionReport: (version) =>
      ask(`/v1/operator/policies/${version}/report`, VersionReportResponse),
    control: () => ask("/v1/operator/control", ControlState),
    freeze: (reason) => ask("/v1/operator/freeze", ControlState, "PUT", { reason }),
    unfreeze: () => ask("/v1/operator/freeze", ControlState, "DELETE"),
    setKillSwitch: (mode, reason) =>
      ask("/v1/operator/kill-switch", ControlState, "PUT", { mode, reason }),
    clearKillSwitch: () => ask("/v1/operator/kill-switch", ControlState, "DELETE"),
    stopSignal: (signal, reason) => ask(switchOf(signal), ControlState, "PUT", { reason }),
    startSignal: (signal) => ask(switchOf(signal), ControlState, "DELETE"),
    audit: () => ask("/v1/operator/audit?limit=100", AuditResponse),
    consent: () => ask("/v1/operator/consent", ConsentResponse),
    exportVisitor: async (id) => {
      const response = await send(`${visitor(id)}/export`, "GET");
      return boundary("network", () => response.blob());
    },
    deleteVisitor: (id) => ask(visitor(id), DeletionResponse, "DELETE"),
    quarantine: () => ask("/v1/operator/quarantine", QuarantineResponse),
    release: (sender) =>
      ask(
        `/v1/operator/quarantine/${encodeURIComponent(sender)}/release`,
        { parse: (value) => value },
        "POST",
      ),
    deadLetters: () => ask("/v1/operator/dead-letters?limit=200", DeadLettersResponse),
    retryDeadLetter: (digest) =>
      ask(`/v1/operator/dead-letters/${digest}/retry`, { parse: (value) => value }, "POST"),
    deleteDeadLetter: (digest) =>
      ask(`/v1/operator/dead-letters/${digest}`, { parse: (value) => value }, "DELETE"),
    sites: () => ask("/v1/operator/sites", SitesResponse),
  };
}
