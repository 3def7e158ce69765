/**
 * Holds judged leases of an edge until the next step. Nothing here is durable: after a crash the groups
 * come back when their leases expire.
 */
import type { HeldCheckpoint } from "../checkpoint/held-checkpoint.ts";
import type { EdgeFollower } from "../edge/edge-follower.ts";
import type { Check } from "../training/train.ts";
import type { PresentSenders } from "../check/learnable-group.ts";
import type { TrainingOptions, TrainingParts } from "./training-parts.ts";
import { withWatchedLease } from "../sink/deployment-watch.ts";
import { digestsOf, type HeldLease, isLost } from "../source/lease-holder.ts";
import {
  type JudgedLease,
  judgeLease,
  withoutForgotten,
  withSignal,
} from "../check/lease-judgment.ts";
import { type StoppedSignals, stoppedSignals } from "../check/stopped-signals.ts";
import { type ComingStep, type WaitingStep, waitingStep } from "../check/waiting-step.ts";

/** The groups, leases and senders of one learning step. */
export type LeasedBatch = {
  readonly waiting: WaitingStep;
  readonly leases: readonly JudgedLease[];
  /** Senders seen since the last step. */
  readonly present: PresentSenders;
};

type Parts = Pick<TrainingParts, "edge" | "recipe" | "leases" | "checker" | "report">;
type Options = Pick<TrainingOptions, "band" | "watch" | "idleExitMs" | "partialStepMs">;

/**
 * The check of a training loop over an edge: judges leases and collects them into a step's batch.
 */
export class LeaseCheck implements Check<HeldLease, LeasedBatch> {
  readonly #parts: Parts;
  readonly #options: Options;
  readonly #checkpoint: HeldCheckpoint;
  readonly #follower: EdgeFollower;
  readonly #idleMs: () => number;
  readonly #signal: AbortSignal;
  #buffer: readonly JudgedLease[] = [];
  /** The filters' result for all groups in the buffer. */
  #waiting: WaitingStep | null = null;
  /**
   * Senders since the last step. A crash forgets them, after which the bound on a sender's share may
   * be looser.
   */
  #present = { visitor: new Set<string>(), network: new Set<string>() };
  #twice = 0;
  /** Signals that an operator stopped, when they were last read. */
  #stopped: StoppedSignals = new Set();

  /** @param idleMs - how long the loop has had nothing to do. */
  constructor(
    parts: Parts,
    options: Options,
    checkpoint: HeldCheckpoint,
    follower: EdgeFollower,
    idleMs: () => number,
    signal: AbortSignal,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#checkpoint = checkpoint;
    this.#follower = follower;
    this.#idleMs = idleMs;
    this.#signal = signal;
  }

  /** Digests that the edge had already counted as learned. */
  get twice(): number {
    return this.#twice;
  }

  get isEmpty(): boolean {
    return this.#buffer.length === 0;
  }

  get coming(): ComingStep {
    const { step, seed, kept } = this.#checkpoint.state;
    return { step, seed, state: kept, band: this.#options.band };
  }

  wanted(): number {
    return this.#parts.recipe.stage.settings.tasksPerStep - this.#buffered;
  }

  async admit(lease: HeldLease): Promise<void> {
    const { recipe, leases, checker, report } = this.#parts;
    if (this.#follower.hasStableChanged) return;
    // A digest that comes again means that its earlier lease has expired.
    const digests = new Set(digestsOf(lease));
    for (const older of this.#buffer) {
      if (digestsOf(older.lease).some((digest) => digests.has(digest))) leases.drop(older.lease);
    }
    const { state } = this.#checkpoint;
    let judged: JudgedLease;
    try {
      await this.#followSignals();
      judged = await judgeLease(
        lease,
        recipe,
        checker,
        state,
        this.coming,
        async () => {
          this.#signal.throwIfAborted();
          await leases.renewDue();
        },
        this.#stopped,
      );
    } catch (error) {
      // If it stayed renewed, it would hide its groups from every trainer, including this one.
      await leases.release(lease).catch(() => undefined);
      throw error;
    }
    // Written with the next commit, so a lease that is judged again after a crash is counted once.
    this.#checkpoint.amendState(
      withWatchedLease(this.#checkpoint.state, judged, this.#options.watch),
    );
    for (const visitor of judged.present.visitor) this.#present.visitor.add(visitor);
    for (const network of judged.present.network) this.#present.network.add(network);
    const [signaled = judged] = (await this.#hold([...this.#buffer, judged])).slice(-1);
    report.judged(signaled);
  }

  async isDue(): Promise<boolean> {
    await this.#parts.leases.renewDue();
    const held = this.#stillHeld();
    if (held.length < this.#buffer.length) await this.#hold(held);
    const { idleExitMs, partialStepMs } = this.#options;
    const isDraining = this.#idleMs() >= Math.min(idleExitMs, partialStepMs);
    const isAlone = this.#buffer.some(({ lease }) => lease.isAlone);
    return this.wanted() <= 0 || isAlone || (isDraining && this.#buffered > 0);
  }

  /**
   * A final check before the step drops groups that visitors withdrew or whose leases were lost
   * meanwhile, and gives everything back if an operator stopped or started a signal.
   */
  async batch(): Promise<LeasedBatch | null> {
    if (await this.#followSignals()) return null;
    const before = this.#buffered;
    const forgotten = await this.#parts.leases.confirm();
    const whole = await Promise.all(
      this.#stillHeld().map((judged) =>
        withoutForgotten(judged, this.#parts.recipe, forgotten, this.coming),
      ),
    );
    const isSame =
      whole.length === this.#buffer.length && whole.every((one, i) => one === this.#buffer[i]);
    if (!isSame || this.#waiting === null) await this.#hold(whole);
    if (this.#buffered !== before || this.#waiting === null) return null;
    return { waiting: this.#waiting, leases: this.#buffer, present: this.#present };
  }

  /** Stops renewing the leases: their outcomes are in the checkpoint. */
  clear(): void {
    for (const { lease } of this.#buffer) this.#parts.leases.drop(lease);
    this.#buffer = [];
    this.#waiting = null;
    this.#present = { visitor: new Set(), network: new Set() };
  }

  /**
   * Reads which signals are stopped. If that has changed, the leases in the buffer are given back, to be leased and judged
   * again.
   *
   * @returns whether it has changed
   */
  async #followSignals(): Promise<boolean> {
    const { edge, leases } = this.#parts;
    const stopped = stoppedSignals(await edge.control());
    const before = this.#stopped;
    if (stopped.size === before.size && [...stopped].every((one) => before.has(one))) return false;
    this.#stopped = stopped;
    const held = this.#buffer;
    this.#buffer = [];
    this.#waiting = null;
    // One that cannot be given back expires, and must not keep the others from being given back.
    for (const { lease } of held) await leases.release(lease).catch(() => undefined);
    return true;
  }

  /** Number of groups to train on. */
  get #buffered(): number {
    return this.#buffer.reduce((sum, { groups }) => sum + groups.length, 0);
  }

  #stillHeld(): readonly JudgedLease[] {
    return this.#buffer.filter(({ lease }) => this.#parts.leases.isHeld(lease));
  }

  /**
   * Holds these leases for the next step and acknowledges those without a group after filtering.
   *
   * @returns all of them after filtering.
   */
  async #hold(leased: readonly JudgedLease[]): Promise<readonly JudgedLease[]> {
    const groups = leased.flatMap((judged) => judged.groups);
    const step = waitingStep(this.#parts.recipe, groups, this.coming);
    const all = leased.map((judged) => withSignal(judged, step));
    this.#waiting = step;
    this.#buffer = all.filter((judged) => judged.groups.length > 0);
    for (const judged of all) if (judged.groups.length === 0) await this.#acknowledge(judged);
    return all;
  }

  /**
   * Acknowledges a lease without anything to train on. This is not durable: it may be judged again
   * after a crash.
   */
  async #acknowledge({ lease, outcomes }: JudgedLease): Promise<void> {
    const { edge, leases } = this.#parts;
    try {
      const { fencingToken } = lease;
      const answer = await edge.acknowledge(lease.leaseId, { fencingToken, outcomes });
      this.#twice += answer.twice;
      const told = new Set(outcomes.map(({ digest }) => digest));
      const { state } = this.#checkpoint;
      if (outcomes.some(({ digest }) => Object.hasOwn(state.learned, digest))) {
        await this.#checkpoint.commitState({
          ...state,
          learned: Object.fromEntries(
            Object.entries(state.learned).filter(([digest]) => !told.has(digest)),
          ),
        });
      }
    } catch (error) {
      if (!isLost(error)) throw error;
    }
    leases.drop(lease);
  }
}
