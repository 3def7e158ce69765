/**
 * The Durable Object of a site that serializes assignments, placement, leases and policy changes. Its only state is an
 * alarm; everything else is in D1.
 */
import { DurableObject } from "cloudflare:workers";
import {
  type AcknowledgeRequest,
  type AcknowledgeResponse,
  type AssignmentResponse,
  type BaseModelRequest,
  type LeaseRequest,
  type KillMode,
  type PolicySignatures,
  type PolicyVersion,
  type PromoteRequest,
  type PublishRequest,
  type SignalName,
} from "@waggle/protocol";
import { type Answer, answer, unwrap } from "./answer.ts";
import { type Asker, assignTask } from "./assignment-store.ts";
import type { SiteStores } from "./endpoint.ts";
import {
  acknowledgeLease,
  type GrantedLease,
  leaseGroups,
  releaseLease,
  renewLease,
} from "./leases/lease-store.ts";
import type { Decision } from "./audit-log.ts";
import { leaseAgain } from "./leases/late-feedback.ts";
import { placeStored } from "./placement.ts";
import { setBaseModel } from "./policy-store.ts";
import { promotePolicy, publishPolicy, rollBackPolicy } from "./policy-changes.ts";
import { deleteUnjoined } from "./outcomes/outcome-store.ts";
import { countValues, deleteEnded } from "./releases/release-counts.ts";
import { releasePlanOf } from "./releases/release-plan.ts";
import { decideRelease } from "./releases/release-step.ts";
import {
  requireNoRelease,
  runningRelease,
  type StoredDecision,
  type StoredRelease,
} from "./releases/release-store.ts";
import type { CheckedPage, PageRequest } from "./reconcile/checked-page.ts";
import { checkLeasedGroups, checkLeasedRows, checkLeases } from "./reconcile/lease-check.ts";
import { deleteExpired, nextExpiry } from "./retention.ts";
import { deleteAbandonedParts } from "./objects/part-store.ts";
import { promotionGateOf } from "./promotion-gate.ts";
import { deleteExpiredRewards, perturbedIn } from "./rewards/reward-store.ts";
import type { Bindings, Settings } from "./settings.ts";
import { type SiteDatabase, siteDatabase } from "./sites/site-database.ts";
import { requireSite, siteDirectory } from "./sites/site-directory.ts";
import { nameInSite, siteOfName } from "./sites/site-name.ts";
import {
  requireAccepted,
  requireSignature,
  storeSignatures,
} from "./signatures/signature-store.ts";
import { startSignal, stopSignal } from "./signals/stopped-signals.ts";
import { clearKillSwitch, freeze, setKillSwitch, unfreeze } from "./switches.ts";
import { deleteOldConsents } from "./visitors/consent-receipts.ts";
import { dropOldReputations } from "./visitors/reputation-store.ts";

/** Messages in one call to the Queue. */
const QUEUE_BATCH = 100;

const DAY_MS = 86_400_000;
/** Least time between two deletions of what is no longer kept. */
const EXPIRY_PAUSE_MS = 3_600_000;
/** Time for which an outcome waits for its trajectory, unless the site keeps data for less time. */
const UNJOINED_MS = 30 * DAY_MS;
/** Time after which the parts of an object that was not completed are deleted. */
const ABANDONED_MS = 7 * DAY_MS;
/** Time between two decisions about a release. */
const RELEASE_PAUSE_MS = 60_000;
/** Most time between two looks at the retention, which a deployment can change. */
const EXPIRY_CHECK_MS = DAY_MS;

/** Serializes calls. Every method takes the time as a parameter; only the constructor and the alarm read a clock. */
export class Coordinator extends DurableObject<Bindings> {
  #tail: Promise<unknown> = Promise.resolve();

  /** After a deployment the object starts again, possibly with another retention, so it checks within a day. */
  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(() => this.#wake(Date.now() + EXPIRY_CHECK_MS));
  }

  /** An alarm of the release before there were sites has no name; its object is that of `default`. */
  get #db(): SiteDatabase {
    return siteDatabase(this.env.DB, siteOfName(this.ctx.id.name ?? ""));
  }

  async #settings(): Promise<Settings> {
    return requireSite(await siteDirectory(this.env), this.#db.site).settings;
  }

  /** Queues calls here, because awaiting D1 opens the object's input gate. */
  #oneAtATime<T>(fn: (settings: Settings) => Promise<T>): Promise<Answer<T>> {
    const next = this.#tail.then(() => answer(async () => fn(await this.#settings())));
    this.#tail = next.catch(() => undefined);
    return next;
  }

  /** `null` if there is no task for now. @param version - the one that the page runs; `null` if it does not say */
  assign(
    asker: Asker,
    version: number | null,
    now: number,
  ): Promise<Answer<AssignmentResponse | null>> {
    return this.#oneAtATime(async (settings) => {
      if (settings.TASK_ENVIRONMENT === "") return null;
      const perturbs = await perturbedIn(this.#db, settings, version);
      if (perturbs === null) return null;
      return assignTask(
        this.#db,
        asker,
        {
          environment: settings.TASK_ENVIRONMENT,
          firstSeed: settings.TASK_SEED_START,
          // Perturbations come in pairs.
          groupSize: settings.GROUP_SIZE + (perturbs === undefined ? 0 : settings.GROUP_SIZE % 2),
          deadlineMs: settings.GROUP_DEADLINE_SECONDS * 1000,
          maxUnfinishedGroups: settings.MAX_UNFINISHED_GROUPS,
          slotsPerVisitor: settings.GROUP_SLOTS_PER_VISITOR,
          slotsPerPrefix: settings.GROUP_SLOTS_PER_PREFIX,
          unansweredPerVisitor: settings.UNANSWERED_PER_VISITOR,
          unansweredPerPrefix: settings.UNANSWERED_PER_PREFIX,
          perturbs,
        },
        now,
      );
    });
  }

  /** Makes stored rows ready to be leased. */
  place(now: number): Promise<Answer<number>> {
    return this.#oneAtATime((settings) => this.#place(settings, now));
  }

  lease(request: LeaseRequest, now: number): Promise<Answer<GrantedLease>> {
    return this.#oneAtATime(async (settings) => {
      await this.#place(settings, now);
      return leaseGroups(this.#db, request, settings, now);
    });
  }

  renew(
    leaseId: string,
    fencingToken: number,
    durationSeconds: number,
    now: number,
  ): Promise<Answer<{ expiresAt: number; forgotten: string[] }>> {
    return this.#oneAtATime((settings) =>
      renewLease(this.#db, leaseId, fencingToken, durationSeconds, settings, now),
    );
  }

  release(leaseId: string, fencingToken: number): Promise<Answer<void>> {
    return this.#oneAtATime(() => releaseLease(this.#db, leaseId, fencingToken));
  }

  acknowledge(
    leaseId: string,
    request: AcknowledgeRequest,
    now: number,
  ): Promise<Answer<AcknowledgeResponse>> {
    return this.#oneAtATime(async (settings) => {
      const answered = await acknowledgeLease(this.#db, leaseId, request, settings, now);
      // Feedback may have come since the lease was granted.
      await leaseAgain(this.#db, "leaseId", [leaseId], settings, now).run();
      return answered;
    });
  }

  /** Compares the active leases with the time. */
  checkLeases(page: PageRequest): Promise<Answer<CheckedPage>> {
    return this.#oneAtATime(({ MAX_LEASE_FAILURES }) =>
      checkLeases(this.#db, MAX_LEASE_FAILURES, page),
    );
  }

  /** Compares leased rows with the leases. */
  checkLeasedRows(page: PageRequest): Promise<Answer<CheckedPage>> {
    return this.#oneAtATime(() => checkLeasedRows(this.#db, page));
  }

  /** Compares leased groups with the leases. */
  checkLeasedGroups(page: PageRequest): Promise<Answer<CheckedPage>> {
    return this.#oneAtATime(() => checkLeasedGroups(this.#db, page));
  }

  setBaseModel(request: BaseModelRequest, now: number): Promise<Answer<void>> {
    return this.#oneAtATime(async ({ PUBLISHER_KEYS }) => {
      const base = { version: 0, parent: null, baseModel: request.baseModel.sha256, adapter: null };
      await requireSignature(this.#db, PUBLISHER_KEYS, base, request.signature, now);
      return setBaseModel(this.#db, request, now);
    });
  }

  /** Stores signatures of published versions. */
  sign(signatures: PolicySignatures, decision: Decision): Promise<Answer<void>> {
    return this.#oneAtATime(({ PUBLISHER_KEYS }) =>
      storeSignatures(this.#db, PUBLISHER_KEYS, signatures, decision),
    );
  }

  publish(request: PublishRequest, decision: Decision): Promise<Answer<PolicyVersion>> {
    return this.#oneAtATime(async (settings) => {
      const plan = releasePlanOf(settings);
      const rules = {
        gate: promotionGateOf(settings),
        plan,
        publisherKeys: settings.PUBLISHER_KEYS,
      };
      const published = await publishPolicy(this.#db, request, rules, decision);
      if (plan !== null) await this.#wake(decision.now + RELEASE_PAUSE_MS);
      return published;
    });
  }

  /** @param overrides - checks that an operator skips; `null` for a trainer, which may only promote the canary. */
  promote(
    version: number,
    decision: Decision,
    overrides: PromoteRequest | null,
  ): Promise<Answer<PolicyVersion>> {
    return this.#oneAtATime(async (settings) => {
      if (overrides === null) await requireNoRelease(this.#db);
      await requireAccepted(this.#db, settings.PUBLISHER_KEYS, version);
      return promotePolicy(this.#db, version, promotionGateOf(settings), decision, overrides);
    });
  }

  rollBack(version: number, decision: Decision): Promise<Answer<PolicyVersion>> {
    return this.#oneAtATime(() => rollBackPolicy(this.#db, version, decision));
  }

  freeze(decision: Decision): Promise<Answer<void>> {
    return this.#oneAtATime(() => freeze(this.#db, decision));
  }

  unfreeze(decision: Decision): Promise<Answer<void>> {
    return this.#oneAtATime(() => unfreeze(this.#db, decision));
  }

  setKillSwitch(mode: KillMode, decision: Decision): Promise<Answer<void>> {
    return this.#oneAtATime(() => setKillSwitch(this.#db, mode, decision));
  }

  clearKillSwitch(decision: Decision): Promise<Answer<void>> {
    return this.#oneAtATime(() => clearKillSwitch(this.#db, decision));
  }

  stopSignal(signal: SignalName, decision: Decision): Promise<Answer<void>> {
    return this.#oneAtATime((settings) => stopSignal(this.#db, settings, signal, decision));
  }

  startSignal(signal: SignalName, decision: Decision): Promise<Answer<void>> {
    return this.#oneAtATime(() => startSignal(this.#db, signal, decision));
  }

  /** Schedules the alarm for rows that were just stored; see `alarm`. */
  async watch(now: number): Promise<void> {
    const after = (await this.#settings()).STALE_ROW_SECONDS * 1000;
    await this.#wake(now + after);
  }

  /**
   * Enqueues rows again that the Queue lost, until none is left, deletes what the site no longer keeps, and decides about
   * the running release. A step that fails does not keep the others from running.
   * @throws the first failure, after all steps; the alarm is then repeated
   */
  override async alarm(): Promise<void> {
    const now = Date.now();
    const failures: unknown[] = [];
    const noted = (error: unknown): void => void failures.push(error);
    await this.enqueueStale(now).catch(noted);
    await this.expire(now).catch(noted);
    await this.advanceRelease(now).catch(noted);
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Counts what visitors of the running release did, and decides about it. Looks again in a minute.
   * @returns the decision; `null` if no release is running
   */
  async advanceRelease(now: number): Promise<StoredDecision | null> {
    const release = await runningRelease(this.#db);
    const before = release?.version ?? Number.MAX_SAFE_INTEGER;
    while (unwrap(await this.#oneAtATime(() => deleteEnded(this.#db, before))) > 0);
    if (release === null) return null;
    await this.#wake(now + RELEASE_PAUSE_MS);
    await this.#countAll(release);
    return unwrap(
      await this.#oneAtATime(async (settings) => {
        // A call in between may have ended it.
        const running = await runningRelease(this.#db);
        return running && decideRelease(this.#db, running, promotionGateOf(settings), now);
      }),
    );
  }

  /** Counts the values of a release that are new. */
  async #countAll(release: StoredRelease): Promise<void> {
    while (unwrap(await this.#oneAtATime(() => countValues(this.#db, release))) > 0);
  }

  /** Sets the alarm, unless it goes off earlier. */
  async #wake(at: number): Promise<void> {
    const set = await this.ctx.storage.getAlarm();
    if (set === null || set > at) await this.ctx.storage.setAlarm(at);
  }

  /**
   * Deletes trajectories whose retention is over, outcomes whose trajectory did not arrive, parts of objects that were
   * not completed, reputations that have not changed for long, and consents that are over. The running release counts the
   * trajectories' values first. Looks again when the next of them is over, and within a day.
   * @returns how many trajectories
   */
  async expire(now: number): Promise<number> {
    const { RETENTION_DAYS, CONSENT_DAYS } = await this.#settings();
    const keptMs = RETENTION_DAYS === 0 ? null : RETENTION_DAYS * DAY_MS;
    const consents = CONSENT_DAYS * DAY_MS;
    const unjoined = Math.min(keptMs ?? UNJOINED_MS, UNJOINED_MS);
    const stores = { DB: this.#db, OBJECTS: this.env.OBJECTS };
    const release = await runningRelease(this.#db);
    if (release !== null) await this.#countAll(release);
    const deleted = keptMs === null ? 0 : await this.#deleteReceivedBefore(now - keptMs, stores);
    if (keptMs !== null) {
      while ((await deleteOldConsents(this.#db, now - keptMs, now - consents)) > 0);
      while ((await deleteExpiredRewards(this.#db, now - keptMs)) > 0);
    }
    while (unwrap(await this.#oneAtATime(() => dropOldReputations(this.#db, now))) > 0);
    await deleteUnjoined(this.#db, now - unjoined);
    const { site } = this.#db;
    if (await deleteAbandonedParts(this.env.OBJECTS, site, now - ABANDONED_MS)) {
      await this.watchParts(now);
    }
    const due = await nextExpiry(stores, { records: keptMs, consents, unjoined });
    if (due !== null) {
      // Something that is due and still there, such as a leased trajectory, is tried again after a pause.
      await this.#wake(Math.min(Math.max(due, now + EXPIRY_PAUSE_MS), now + EXPIRY_CHECK_MS));
    }
    return deleted;
  }

  /** Looks for parts of objects whose upload was given up, within a day. */
  watchParts(now: number): Promise<void> {
    return this.#wake(now + EXPIRY_CHECK_MS);
  }

  /** In batches, so that pages and trainers are answered between them. @returns how many trajectories */
  async #deleteReceivedBefore(before: number, stores: SiteStores): Promise<number> {
    let deleted = 0;
    for (;;) {
      const batch = await this.#oneAtATime(() => deleteExpired(stores, before));
      if (!batch.ok || batch.value === 0) return deleted;
      deleted += batch.value;
    }
  }

  /** @returns the number of rows that were enqueued again */
  async enqueueStale(now: number): Promise<number> {
    const after = (await this.#settings()).STALE_ROW_SECONDS * 1000;
    const { results } = await this.#db
      .prepare(
        "SELECT digest, receivedAt FROM trajectories WHERE site = ?site AND status = 'stored' ORDER BY receivedAt LIMIT ?1",
      )
      .bind(QUEUE_BATCH)
      .all<{ digest: string; receivedAt: number }>();
    const stale = results.filter((row) => row.receivedAt <= now - after);
    if (stale.length > 0) {
      await this.env.UPLOADS.sendBatch(
        stale.map(({ digest }) => ({ body: { digest, site: this.#db.site } })),
      );
    }
    if (results.length > 0) await this.#wake(now + after);
    return stale.length;
  }

  async #place(settings: Settings, now: number): Promise<number> {
    const lateMs = Math.ceil((settings.GROUP_DEADLINE_SECONDS * 1000) / 3);
    const waitMs = settings.FEEDBACK_WAIT_SECONDS * 1000;
    let placed = 0;
    for (;;) {
      const more = await placeStored(this.#db, now, lateMs, waitMs, settings);
      if (more === 0) return placed;
      placed += more;
    }
  }
}

/** The coordinator of a site. */
export function coordinatorOf(env: Bindings, site: string): DurableObjectStub<Coordinator> {
  const namespace = env.COORDINATOR as DurableObjectNamespace<Coordinator>;
  return namespace.getByName(nameInSite(site, "coordinator"));
}
