/**
 * The trainer's client for the edge's HTTP interface. It is stateless, and the edge treats every call
 * as idempotent, so calls are safe to repeat.
 */
import {
  AcknowledgeResponse,
  type AcknowledgeRequest,
  type BaseModelRequest,
  ControlState,
  type Heartbeat,
  LeasedTrajectory,
  type LeaseRequest,
  type Lineage,
  LineageResponse,
  type MetricsRow,
  ObjectPartsResponse,
  PoliciesResponse,
  PolicyVersion,
  type PolicyVersionId,
  type PublishRequest,
  type RenewRequest,
  RenewResponse,
  RequestsResponse,
  RewardsResponse,
  type VersionReport,
  WaggleError,
} from "@waggle/protocol";
import type { z } from "zod";
import { compressedForm } from "./compressed-form.ts";
import { LeaseAnswer } from "./lease-answer.ts";
import { createEdgeTransport, type EdgeTransportOptions } from "./edge-transport.ts";
import { PART_BYTES } from "./part-size.ts";
import { createSigningClient } from "./signing-client.ts";

/** The edge calls that the training loop uses. */
export interface EdgeClient {
  lease(request: LeaseRequest): Promise<LeaseAnswer>;
  /** @throws WaggleError `LEASE_LOST` if the trainer no longer has the lease. */
  renew(leaseId: string, request: RenewRequest): Promise<RenewResponse>;
  /** Releases the groups. A lease that is already lost is not an error. */
  release(leaseId: string, fencingToken: number): Promise<void>;
  /** @throws WaggleError `LEASE_LOST` if the trainer no longer has the lease. */
  acknowledge(leaseId: string, request: AcknowledgeRequest): Promise<AcknowledgeResponse>;
  /** Visitors' own requests that no trainer has learned from, newest first. An edge of the previous release lists none. */
  requests(): Promise<RequestsResponse["requests"]>;
  /** One of them; `null` if it is gone, or if its visitor's consent does not cover learning any more. */
  request(digest: string): Promise<LeasedTrajectory | null>;
  /** The rewards of a version's perturbations. @throws WaggleError `FORBIDDEN` if the edge collects something else. */
  rewards(version: PolicyVersionId): Promise<RewardsResponse>;
  /** Stores an object, and its compressed form if that is smaller. */
  putObject(sha256: string, bytes: Uint8Array): Promise<void>;
  /**
   * Stores the compressed form of a stored object of one part, if it is smaller. Pages do not need it, so a refusal is no error.
   * An edge of the previous release, for example, has no such route.
   */
  compressObject(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Hashes of the stored parts of an object. */
  objectParts(sha256: string): Promise<string[]>;
  /** @param part - hash of `bytes`, which are at most `MAX_PART_BYTES`. */
  putObjectPart(sha256: string, part: string, bytes: Uint8Array): Promise<void>;
  /**
   * Makes the object of its stored parts.
   * @param parts - their hashes, in the order of the object's bytes.
   * @param sizeBytes - of the object, for which the edge is given time.
   * @throws WaggleError `NOT_FOUND` if parts are missing, `DIGEST_MISMATCH` if they make other bytes.
   */
  assembleObject(sha256: string, parts: readonly string[], sizeBytes: number): Promise<void>;
  /** In which form the edge sends an object; `null` if it has none, and the object must be sent. */
  storedForm(sha256: string): Promise<"plain" | "gzip" | null>;
  getObject(sha256: string): Promise<Uint8Array>;
  setBaseModel(request: BaseModelRequest): Promise<void>;
  /** @throws WaggleError `PUBLICATION_STALE` if policies changed after the request's epoch. */
  publish(request: PublishRequest): Promise<PolicyVersion>;
  /** Stores what a version learned from. An edge of the previous release has no such route and keeps nothing. */
  putReport(version: PolicyVersionId, report: VersionReport): Promise<void>;
  promote(version: PolicyVersionId): Promise<PolicyVersion>;
  /** @param reason - for the audit log. */
  rollBack(version: PolicyVersionId, reason?: string): Promise<PolicyVersion>;
  /** The environment of assigned tasks, and whether publishing is frozen. */
  control(): Promise<ControlState>;
  /** Stops publications until an operator lifts the freeze. */
  freeze(reason: string): Promise<void>;
  /**
   * Reports the progress of a state.
   * @returns the edge's previous record of it
   */
  openLineage(lineage: Lineage): Promise<LineageResponse>;
  /** @param since - only versions that changed after this epoch; default all. */
  policies(since?: number): Promise<PoliciesResponse>;
  postMetrics(rows: readonly MetricsRow[]): Promise<void>;
  /** Not retried: the next heartbeat follows soon. */
  sendHeartbeat(heartbeat: Heartbeat): Promise<void>;
}

const HEARTBEAT_TIMEOUT_MS = 3000;

/** Creates a client for one edge. It signs what it publishes if the options name a publisher. */
export function createEdgeClient(options: EdgeTransportOptions): EdgeClient {
  const { answer, done, send } = createEdgeTransport(options);
  const once = createEdgeTransport({ ...options, attempts: 1, timeoutMs: HEARTBEAT_TIMEOUT_MS });

  /** The answer; `null` if the edge has no such thing, or one of a later release. */
  const known = async <T>(call: Parameters<typeof send>[0], schema: z.ZodType<T>) => {
    try {
      return await answer(call, schema);
    } catch (error) {
      if (WaggleError.is(error, "NOT_FOUND") || WaggleError.is(error, "SCHEMA_INVALID"))
        return null;
      throw error;
    }
  };

  const client: EdgeClient = {
    lease: (json) => answer({ method: "POST", path: "/v1/trainer/leases", json }, LeaseAnswer),
    renew: (leaseId, json) =>
      answer({ method: "POST", path: `/v1/trainer/leases/${leaseId}/renew`, json }, RenewResponse),
    async release(leaseId, fencingToken) {
      const path = `/v1/trainer/leases/${leaseId}/release`;
      try {
        await done({ method: "POST", path, json: { fencingToken } });
      } catch (error) {
        if (!WaggleError.is(error, "LEASE_LOST")) throw error;
      }
    },
    acknowledge: (leaseId, json) =>
      answer(
        { method: "POST", path: `/v1/trainer/leases/${leaseId}/acknowledge`, json },
        AcknowledgeResponse,
      ),
    async requests() {
      const found = await known({ method: "GET", path: "/v1/trainer/requests" }, RequestsResponse);
      return found?.requests ?? [];
    },
    request: (digest) =>
      known({ method: "GET", path: `/v1/trainer/requests/${digest}` }, LeasedTrajectory),
    rewards: (version) =>
      answer({ method: "GET", path: `/v1/trainer/rewards?version=${version}` }, RewardsResponse),
    async putObject(sha256, bytes) {
      await done({ method: "PUT", path: `/v1/trainer/objects/${sha256}`, bytes });
      await client.compressObject(sha256, bytes);
    },
    async compressObject(sha256, bytes) {
      if (bytes.length > PART_BYTES) return;
      const form = await compressedForm(bytes);
      if (form === null) return;
      const path = `/v1/trainer/objects/${sha256}/gzip`;
      try {
        await done({ method: "PUT", path, bytes: form });
      } catch (error) {
        if (!WaggleError.is(error)) throw error;
      }
    },
    async objectParts(sha256) {
      const path = `/v1/trainer/objects/${sha256}/parts`;
      const { parts } = await answer({ method: "GET", path }, ObjectPartsResponse);
      return parts.map((part) => part.sha256);
    },
    putObjectPart: (sha256, part, bytes) =>
      done({ method: "PUT", path: `/v1/trainer/objects/${sha256}/parts/${part}`, bytes }),
    assembleObject: (sha256, parts, movedBytes) =>
      done({
        method: "POST",
        path: `/v1/trainer/objects/${sha256}/assemble`,
        json: { parts },
        movedBytes,
      }),
    async storedForm(sha256) {
      try {
        const call = { method: "HEAD", path: `/v1/objects/${sha256}` } as const;
        const encoding = await send(call, async ({ headers }) => headers.get("content-encoding"));
        return encoding === "gzip" ? "gzip" : "plain";
      } catch (error) {
        if (WaggleError.is(error, "NOT_FOUND")) return null;
        throw error;
      }
    },
    getObject: (sha256) =>
      send(
        { method: "GET", path: `/v1/objects/${sha256}` },
        async (response) => new Uint8Array(await response.arrayBuffer()),
      ),
    setBaseModel: (json) => done({ method: "PUT", path: "/v1/trainer/base-model", json }),
    publish: (json) =>
      answer({ method: "POST", path: "/v1/trainer/policies", json }, PolicyVersion),
    async putReport(version, json) {
      try {
        await done({ method: "PUT", path: `/v1/trainer/policies/${version}/report`, json });
      } catch (error) {
        if (!WaggleError.is(error, "NOT_FOUND")) throw error;
      }
    },
    promote: (version) =>
      answer({ method: "POST", path: `/v1/trainer/policies/${version}/promote` }, PolicyVersion),
    rollBack: (version, reason = "") =>
      answer(
        { method: "POST", path: `/v1/trainer/policies/${version}/roll-back`, json: { reason } },
        PolicyVersion,
      ),
    control: () => answer({ method: "GET", path: "/v1/trainer/control" }, ControlState),
    freeze: (reason) => done({ method: "PUT", path: "/v1/trainer/freeze", json: { reason } }),
    openLineage: (json) =>
      answer({ method: "POST", path: "/v1/trainer/lineages", json }, LineageResponse),
    policies: (since) => {
      const query = since === undefined ? "" : `?since=${since}`;
      return answer({ method: "GET", path: `/v1/trainer/policies${query}` }, PoliciesResponse);
    },
    postMetrics: (rows) => done({ method: "POST", path: "/v1/trainer/metrics", json: { rows } }),
    sendHeartbeat: (json) => once.done({ method: "POST", path: "/v1/trainer/heartbeat", json }),
  };
  return options.publisher === undefined ? client : createSigningClient(client, options.publisher);
}
