/**
 * An in-memory edge for tests: leases with fencing and expiry, counted acknowledgements, channels.
 * Tests set its clock. It does not model the Worker's storage or authentication.
 */
import { randomUUID } from "node:crypto";
import {
  type AcknowledgeRequest,
  type ControlState,
  type LeasedGroup,
  type LeasedTrajectory,
  type MetricsRow,
  type PageReward,
  type PolicyVersion,
  type PromotionGate,
  type PublishRequest,
  sha256,
  type TrajectoryOutcome,
  type VersionReport,
  WaggleError,
} from "@waggle/protocol";
import type { EdgeClient } from "./edge-client.ts";

type Lease = { fencingToken: number; expiresAt: number; groupIds: string[]; isDone: boolean };

export class FakeEdge {
  now: number = 0;
  /** All acknowledged outcomes by digest, in order. */
  readonly acknowledged: Map<string, TrajectoryOutcome[]> = new Map();
  readonly objects: Map<string, Uint8Array> = new Map();
  /** Objects that have a compressed form. */
  readonly compressed: Set<string> = new Set();
  /** Of the object that is being uploaded. */
  readonly parts: Map<string, Uint8Array> = new Map();
  readonly metrics: Map<number, MetricsRow> = new Map();
  readonly policies: PolicyVersion[] = [];
  /** Reports by version. */
  readonly reports: Map<number, VersionReport> = new Map();
  /** Rewards by version. */
  readonly rewards: Map<number, PageReward[]> = new Map();
  /** Requests that no trainer learned from, newest first. They are not leased. */
  requests: readonly LeasedTrajectory[] = [];
  /** Digests that their visitors withdrew. */
  readonly forgotten: Set<string> = new Set();
  control: ControlState = { environment: "shop", frozen: null, killed: null };
  stable: number = 0;
  canary: number = 0;
  twice: number = 0;
  epoch: number = 0;
  /** Share at which a published candidate starts a release; `null` = none starts. */
  firstShare: number | null = null;
  release: { version: number; share: number } | null = null;
  gate: PromotionGate = { minTasks: 1, margin: 1, significance: 0 };
  readonly #lineages = new Map<string, number>();
  readonly #publications = new Map<string, number>();
  readonly #groups: LeasedGroup[];
  readonly #leases = new Map<string, Lease>();
  #fencingToken = 0;

  constructor(groups: readonly LeasedGroup[], baseModel: string) {
    this.#groups = [...groups];
    this.policies.push({
      version: 0,
      parent: null,
      baseModel,
      adapter: null,
      status: "stable",
      evaluation: null,
      step: 0,
      publishedAt: new Date(0).toISOString(),
    });
  }

  /** Lets every lease expire. */
  expireLeases(): void {
    this.now += 1_000_000;
  }

  get heldLeases(): number {
    return [...this.#leases.values()].filter((lease) => !lease.isDone && lease.expiresAt > this.now)
      .length;
  }

  client(): EdgeClient {
    return {
      lease: async ({ maxGroups, durationSeconds }) => {
        const held = new Set(
          [...this.#leases.values()]
            .filter((lease) => !lease.isDone && lease.expiresAt > this.now)
            .flatMap(({ groupIds }) => groupIds),
        );
        const groups = this.#groups
          .filter(({ groupId }) => !held.has(groupId))
          .map((group) => ({
            ...group,
            trajectories: group.trajectories.filter(({ digest }) => !this.acknowledged.has(digest)),
          }))
          .filter(({ trajectories }) => trajectories.length > 0)
          .slice(0, maxGroups);
        const expiresAt = this.now + durationSeconds * 1000;
        const answer = { expiresAt: new Date(expiresAt).toISOString(), groups };
        if (groups.length === 0) return { leaseId: null, fencingToken: 0, ...answer };
        const leaseId = randomUUID();
        this.#fencingToken += 1;
        const groupIds = groups.map(({ groupId }) => groupId);
        this.#leases.set(leaseId, {
          fencingToken: this.#fencingToken,
          expiresAt,
          groupIds,
          isDone: false,
        });
        return { leaseId, fencingToken: this.#fencingToken, ...answer };
      },
      renew: async (leaseId, { fencingToken, durationSeconds }) => {
        const lease = this.#require(leaseId, fencingToken);
        lease.expiresAt = this.now + durationSeconds * 1000;
        return {
          expiresAt: new Date(lease.expiresAt).toISOString(),
          forgotten: [...this.forgotten],
        };
      },
      release: async (leaseId, fencingToken) => {
        this.#require(leaseId, fencingToken).isDone = true;
      },
      acknowledge: async (leaseId, request) => this.#acknowledge(leaseId, request),
      requests: async () => this.#openRequests(),
      request: async (digest) =>
        this.#openRequests().find((request) => request.digest === digest) ?? null,
      rewards: async (version) => ({ rewards: this.rewards.get(version) ?? [] }),
      putObject: async (digest, bytes) => {
        if ((await sha256(bytes)) !== digest) {
          throw new WaggleError("DIGEST_MISMATCH", "the object does not match its hash");
        }
        this.objects.set(digest, bytes);
      },
      objectParts: async () => [...this.parts.keys()],
      putObjectPart: async (_, digest, bytes) => {
        if ((await sha256(bytes)) !== digest) {
          throw new WaggleError("DIGEST_MISMATCH", "the part does not match its hash");
        }
        this.parts.set(digest, bytes);
      },
      assembleObject: async (digest, order) => {
        const pieces = order.map((part) => this.parts.get(part));
        if (pieces.includes(undefined)) throw new WaggleError("NOT_FOUND", "a part is missing");
        const bytes = Buffer.concat(pieces as Uint8Array[]);
        if ((await sha256(bytes)) !== digest) {
          throw new WaggleError("DIGEST_MISMATCH", "the object does not match its hash");
        }
        this.objects.set(digest, bytes);
        this.parts.clear();
      },
      compressObject: async (digest) => {
        this.compressed.add(digest);
      },
      storedForm: async (digest) => {
        if (!this.objects.has(digest)) return null;
        return this.compressed.has(digest) ? "gzip" : "plain";
      },
      getObject: async (digest) => {
        const bytes = this.objects.get(digest);
        if (bytes === undefined) throw new WaggleError("NOT_FOUND", `no object ${digest}`);
        return bytes;
      },
      setBaseModel: async () => {},
      publish: async (request) => {
        if (request.status === "canary") this.#requireNotFrozen();
        if (request.status === "canary") this.#requireNoRelease();
        return this.#publish(request);
      },
      putReport: async (version, report) => {
        this.reports.set(version, report);
      },
      promote: async (version) => {
        this.#requireNotFrozen();
        this.#requireNoRelease();
        return this.#decide(version, "stable");
      },
      openLineage: async ({ stateId, step }) => {
        const knownStep = this.#lineages.get(stateId) ?? null;
        const newestStep = Math.max(0, ...this.metrics.keys(), ...this.#lineages.values());
        this.#lineages.set(stateId, Math.max(step, knownStep ?? 0));
        return { knownStep, newestStep };
      },
      rollBack: async (version) => this.#decide(version, "rolled-back"),
      control: async () => ({ ...this.control }),
      freeze: async (reason) => {
        this.control.frozen = { by: "trainer", at: new Date(this.now).toISOString(), reason };
      },
      policies: async () => ({
        stable: this.stable,
        canary: this.canary,
        epoch: this.epoch,
        gate: this.gate,
        release: this.release,
        policies: this.policies.toReversed(),
      }),
      postMetrics: async (rows) => {
        for (const row of rows) this.metrics.set(row.step, row);
      },
      sendHeartbeat: async () => {},
    };
  }

  /** Decides about the running release, as the edge does from what visitors say. */
  endRelease(status: "stable" | "rolled-back"): void {
    if (this.release === null) throw new Error("no release is running");
    this.#decide(this.release.version, status);
  }

  #openRequests(): LeasedTrajectory[] {
    return this.requests.filter(({ digest }) => !this.forgotten.has(digest));
  }

  #requireNoRelease(): void {
    if (this.release === null) return;
    throw new WaggleError("RELEASE_RUNNING", "a release is running", { retryable: true });
  }

  #requireNotFrozen(): void {
    if (this.control.frozen !== null) throw new WaggleError("FROZEN", "promotions are frozen");
  }

  #publish({ publicationId, epoch, withoutEvaluation, ...request }: PublishRequest): PolicyVersion {
    const known = this.#publications.get(publicationId);
    if (known !== undefined) return this.policies[known] as PolicyVersion;
    if (epoch !== this.epoch) throw new WaggleError("PUBLICATION_STALE", "policies changed");
    if (request.evaluation === null && withoutEvaluation !== true) {
      throw new WaggleError("GATE_NOT_PASSED", "this version has no evaluation");
    }
    const named = [request.adapter, request.guidance].flatMap((object) => object?.sha256 ?? []);
    if (!named.every((digest) => this.objects.has(digest))) {
      throw new WaggleError("CONFLICT", "an object is not stored");
    }
    const version = this.policies.length;
    const policy = { ...request, version, publishedAt: new Date(this.now).toISOString() };
    this.policies.push(policy);
    this.#publications.set(publicationId, version);
    this.epoch += 1;
    if (policy.status !== "canary") return policy;
    this.canary = version;
    if (this.firstShare !== null) this.release = { version, share: this.firstShare };
    return policy;
  }

  #require(leaseId: string, fencingToken: number): Lease {
    const lease = this.#leases.get(leaseId);
    const isOurs = lease?.fencingToken === fencingToken;
    if (lease === undefined || !isOurs || (!lease.isDone && lease.expiresAt <= this.now)) {
      throw new WaggleError("LEASE_LOST", "the lease has expired");
    }
    return lease;
  }

  #acknowledge(
    leaseId: string,
    { fencingToken, lineage, outcomes }: AcknowledgeRequest,
  ): { acknowledged: number; twice: number } {
    if (lineage !== undefined) this.#lineages.set(lineage.stateId, lineage.step);
    const lease = this.#require(leaseId, fencingToken);
    if (lease.isDone) return { acknowledged: outcomes.length, twice: 0 };
    let twice = 0;
    for (const outcome of outcomes) {
      const earlier = this.acknowledged.get(outcome.digest) ?? [];
      if (earlier.some(({ status }) => status === "learned")) twice += 1;
      this.acknowledged.set(outcome.digest, [...earlier, outcome]);
    }
    lease.isDone = true;
    this.twice += twice;
    return { acknowledged: outcomes.length, twice };
  }

  #decide(version: number, status: "stable" | "rolled-back"): PolicyVersion {
    const index = this.policies.findIndex((policy) => policy.version === version);
    const known = this.policies[index];
    if (known === undefined) throw new WaggleError("NOT_FOUND", `no version ${version}`);
    if (known.status === status) return known;
    if (status === "stable" && known.status !== "canary") {
      throw new WaggleError("CONFLICT", "only a canary can be promoted");
    }
    this.epoch += 1;
    const decided = { ...known, status };
    this.policies[index] = decided;
    if (status === "stable") this.stable = version;
    else if (this.stable === version) this.stable = known.parent ?? 0;
    this.canary = this.stable;
    if (this.release?.version === version) this.release = null;
    return decided;
  }
}
