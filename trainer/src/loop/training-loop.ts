/**
 * Lease, judge, learn, commit, acknowledge, publish; forever or until told to stop.
 *
 * Killed at any moment it loses nothing and repeats nothing: what it learned is in the checkpoint
 * before it is acknowledged, an acknowledgement not confirmed is sent again, and a digest in the
 * checkpoint is never learned again. A lease is acknowledged once, whole. Everything before a
 * commit is forgotten by a crash and comes back when the leases expire.
 */
import type { PromotionGate } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import type { Checkpoint } from "../checkpoint/checkpoint-store.ts";
import { driftAlarm, raiseAlarm, withWatchedLease } from "../sink/deployment-watch.ts";
import { hasOtherStable, withPolicies } from "../edge/edge-following.ts";
import { finalOutcome } from "../source/final-outcome.ts";
import { digestsOf, isLost, versionsOf } from "../source/lease-holder.ts";
import { learningStep, type LearningStepResult } from "../update/learning-step.ts";
import {
  judgeLease,
  type JudgedLease,
  withoutForgotten,
  withSignal,
} from "../check/lease-judgement.ts";
import { advancePublication, postponePublication } from "../sink/publication.ts";
import { seededRandom } from "../rollouts/random.ts";
import { type StepFailure, stepFailure } from "./step-failure.ts";
import { driftFromStable } from "../update/stable-drift.ts";
import {
  lineageOf,
  newPublication,
  type Publication,
  type TrainerState,
} from "../checkpoint/trainer-state.ts";
import type { TrainingOptions, TrainingParts, TrainingSummary } from "./training-parts.ts";
import { type ComingStep, type WaitingStep, waitingStep } from "../check/waiting-step.ts";

/** The edge's policies are read at least this often while there is something to do. */
const FOLLOW_MS = 5000;

/** Runs from a checkpoint until a limit or the signal; the last checkpoint is always durable. */
export async function runTrainingLoop(
  parts: TrainingParts,
  options: TrainingOptions,
  start: Checkpoint,
  signal: AbortSignal,
): Promise<TrainingSummary> {
  const { edge, engine, recipe, leases, store, report } = parts;
  let checkpoint = start;
  let buffer: readonly JudgedLease[] = [];
  // What the filters say of all groups in the buffer.
  let waiting: WaitingStep | null = null;
  // Since the last step. Forgotten by a crash, after which a step may be bounded less.
  let visitors = new Set<string>();
  let twice = 0;
  /** Steps in a row that ended in an unexpected error. */
  let failedSteps = 0;
  let idleSince = parts.now();
  let followedAt = -Infinity;
  let gate: PromotionGate | null = null;
  let hasStableChanged = false;
  let hasEnvironmentChanged = false;

  async function commit(next: Checkpoint): Promise<void> {
    await store.commit(next);
    checkpoint = next;
  }
  const commitState = (state: TrainerState): Promise<void> => commit({ ...checkpoint, state });

  /** Sends what is not yet confirmed. */
  async function settle(): Promise<void> {
    for (const pending of checkpoint.state.acknowledgements) {
      const { leaseId, fencingToken, outcomes } = pending;
      let isConfirmed = true;
      let isElsewhere = false;
      try {
        const answer = await edge.acknowledge(leaseId, {
          fencingToken,
          outcomes: [...outcomes],
          ...lineageOf(checkpoint.state),
        });
        if (answer.twice > 0) {
          // Another trainer learned it while this one was away: here it must not count.
          isElsewhere = true;
          report.note("learned-elsewhere", { leaseId, trajectories: answer.twice });
          await engine.load(checkpoint.stable);
        }
      } catch (error) {
        if (!isLost(error)) throw error;
        // What was learned stays learned: it is acknowledged when its groups are leased again.
        isConfirmed = false;
        report.note("lease-lost", { leaseId });
      }
      const { state } = checkpoint;
      const told = new Set(isConfirmed ? outcomes.map(({ digest }) => digest) : []);
      await commit({
        ...checkpoint,
        engine: isElsewhere ? checkpoint.stable : checkpoint.engine,
        state: {
          ...state,
          acknowledgements: state.acknowledgements.filter((other) => other.leaseId !== leaseId),
          learned: Object.fromEntries(
            Object.entries(state.learned).filter(([digest]) => !told.has(digest)),
          ),
          ...(isElsewhere ? { stepsSincePublication: 0, publication: null } : {}),
        },
      });
    }
    await settleMetrics();
  }

  async function settleMetrics(): Promise<void> {
    const { metrics } = checkpoint.state;
    if (metrics.length === 0) return;
    await parts.metricsLog.append(metrics);
    await edge.postMetrics(metrics);
    await commitState({ ...checkpoint.state, metrics: [] });
  }

  /** Acknowledges a lease of which nothing was learned. Nothing durable: it may be judged again. */
  async function acknowledgeNow(judged: JudgedLease): Promise<void> {
    const { lease, outcomes } = judged;
    try {
      const { fencingToken } = lease;
      const answer = await edge.acknowledge(lease.leaseId, { fencingToken, outcomes });
      twice += answer.twice;
      const told = new Set(outcomes.map(({ digest }) => digest));
      if (outcomes.some(({ digest }) => Object.hasOwn(checkpoint.state.learned, digest))) {
        await commitState({
          ...checkpoint.state,
          learned: Object.fromEntries(
            Object.entries(checkpoint.state.learned).filter(([digest]) => !told.has(digest)),
          ),
        });
      }
    } catch (error) {
      if (!isLost(error)) throw error;
    }
    leases.drop(lease);
  }

  /** Takes over what changed at the edge, or finds that its stable version is another. */
  async function follow(): Promise<void> {
    const { state } = checkpoint;
    let policies = await edge.policies(state.epoch);
    // An edge that was restored counts from an earlier epoch.
    if (policies.epoch < (state.epoch ?? 0)) policies = await edge.policies();
    followedAt = parts.now();
    gate = policies.gate;
    if (policies.epoch === state.epoch) return;
    const canary = state.publication?.version ?? null;
    const isCompared = [state.stableVersion, canary].includes(policies.stable);
    if (canary !== null && !isCompared) await edge.rollBack(canary);
    hasStableChanged = hasOtherStable(state, policies);
    if (!hasStableChanged) await commitState(withPolicies(state, policies, parts.newId));
  }

  async function takeLease(wanted: number): Promise<boolean> {
    const lease = await leases.take(wanted);
    if (lease === null) return false;
    parts.note("checking", checkpoint.state.step);
    const known = new Set(checkpoint.state.versions.map(({ version }) => version));
    if (!versionsOf(lease).every((version) => known.has(version))) await follow();
    if (hasStableChanged) return true;
    // A digest that came again means that its earlier lease has expired.
    const digests = new Set(digestsOf(lease));
    for (const older of buffer) {
      if (digestsOf(older.lease).some((digest) => digests.has(digest))) leases.drop(older.lease);
    }
    const { state } = checkpoint;
    const coming = comingStep();
    let judged: JudgedLease;
    try {
      judged = await judgeLease(lease, recipe, parts.checker, state, coming, async () => {
        signal.throwIfAborted();
        await leases.renewDue();
      });
    } catch (error) {
      // Renewed for ever, it would hide its groups from this and every other trainer.
      await leases.release(lease).catch(() => undefined);
      throw error;
    }
    // Written with the next commit: a lease that is judged again is counted once.
    checkpoint = {
      ...checkpoint,
      state: withWatchedLease(checkpoint.state, judged, options.watch),
    };
    for (const visitor of judged.visitors) visitors.add(visitor);
    const [signalled = judged] = (await hold([...buffer, judged])).slice(-1);
    report.judged(signalled);
    return true;
  }

  function comingStep(): ComingStep {
    const { step, seed, kept } = checkpoint.state;
    return { step, seed, state: kept, band: options.band };
  }

  /**
   * Holds these leases for the coming step; those of which filters leave nothing are acknowledged.
   *
   * @returns all of them as filters left them.
   */
  async function hold(leased: readonly JudgedLease[]): Promise<readonly JudgedLease[]> {
    const groups = leased.flatMap((judged) => judged.groups);
    const step = waitingStep(recipe, groups, comingStep());
    const all = leased.map((judged) => withSignal(judged, step));
    waiting = step;
    buffer = all.filter((judged) => judged.groups.length > 0);
    for (const judged of all) if (judged.groups.length === 0) await acknowledgeNow(judged);
    return all;
  }

  /** Groups to learn from. */
  const buffered = (): number => buffer.reduce((sum, { groups }) => sum + groups.length, 0);

  /** The last look before a step: what was taken back or lost meanwhile is not learned from. */
  async function isStillWhole(): Promise<boolean> {
    const before = buffered();
    const forgotten = await leases.confirm();
    const coming = comingStep();
    const whole = await Promise.all(
      stillHeld().map((judged) => withoutForgotten(judged, recipe, forgotten, coming)),
    );
    const isSame = whole.length === buffer.length && whole.every((one, i) => one === buffer[i]);
    if (!isSame || waiting === null) await hold(whole);
    return buffered() === before;
  }

  const stillHeld = (): readonly JudgedLease[] =>
    buffer.filter(({ lease }) => leases.isHeld(lease));

  async function learn(from: WaitingStep): Promise<void> {
    const startedAt = parts.now();
    const { state } = checkpoint;
    parts.note("learning", state.step);
    const random = seededRandom(state.seed, state.step);
    let result: LearningStepResult | null = null;
    let drift: number | null = null;
    let failure: StepFailure = "non-finite-gradient";
    try {
      result = await learningStep(engine, recipe, from, {
        ...comingStep(),
        microbatchTokens: options.microbatchTokens,
        shuffleAdvantages: options.shuffleAdvantages ? random : null,
        visitorShare: options.visitorShare,
        presentVisitors: visitors,
        betweenPasses: async () => {
          signal.throwIfAborted();
          await leases.renewDue();
        },
      });
      drift = await driftFromStable(
        engine,
        from.groups,
        state.stableVersion,
        options.microbatchTokens,
      );
      failedSteps = 0;
    } catch (error) {
      result = null;
      await engine.load(checkpoint.engine);
      failure = stepFailure(error, signal, failedSteps);
      if (failure !== "non-finite-gradient") failedSteps += 1;
      report.note(failure, { step: state.step, cause: String(error) });
    }
    const step = state.step + 1;
    const acknowledgements = buffer.map(({ lease, outcomes }) => ({
      leaseId: lease.leaseId,
      fencingToken: lease.fencingToken,
      outcomes: outcomes.map((outcome) => finalOutcome(outcome, result ?? failure, step)),
    }));
    const learned = acknowledgements
      .flatMap(({ outcomes }) => outcomes)
      .filter(({ status }) => status === "learned");
    const publishes = state.stepsSincePublication + 1 >= options.publishEvery;
    const hasLearned = result !== null && result.advantages.size > 0;
    const row = hasLearned && {
      step,
      at: parts.date(),
      metrics: {
        ...result?.metrics,
        ...(drift === null ? {} : { stableDriftKl: drift }),
        seconds: (parts.now() - startedAt) / 1000,
      },
    };
    const alarm = driftAlarm(drift, options.watch);
    if (alarm !== null) await engine.load(checkpoint.stable);
    await commit({
      ...checkpoint,
      engine: alarm === null ? await engine.save() : checkpoint.stable,
      state: {
        ...state,
        step: hasLearned ? step : state.step,
        ...(result === null ? {} : { kept: { ...state.kept, ...result.state } }),
        stepsSincePublication: hasLearned
          ? state.stepsSincePublication + 1
          : state.stepsSincePublication,
        learned: {
          ...state.learned,
          ...Object.fromEntries(learned.map((outcome) => [outcome.digest, outcome])),
        },
        acknowledgements: [...state.acknowledgements, ...acknowledgements],
        metrics: row ? [...state.metrics, row] : state.metrics,
        publication:
          hasLearned && publishes && alarm === null
            ? newPublication(parts.newId(), state.stableVersion, step)
            : null,
        ...(alarm === null ? {} : { alarm, stepsSincePublication: 0 }),
      },
    });
    for (const { lease } of buffer) leases.drop(lease);
    buffer = [];
    waiting = null;
    visitors = new Set();
    if (row) report.step(row);
  }

  /** One stage of the publication in progress, or none while publishing is frozen. */
  async function publish(stage: Publication["stage"], edgeGate: PromotionGate): Promise<void> {
    try {
      if (stage === "evaluate") {
        const { frozen, environment } = await edge.control();
        hasEnvironmentChanged = environment !== parts.publication.environment;
        if (hasEnvironmentChanged) return;
        // Asked before the work of an evaluation; at later stages the edge refuses.
        if (frozen !== null) {
          const { by, at, reason } = frozen;
          throw new WaggleError("FROZEN", `${by} froze promotions at ${at}: ${reason}`);
        }
      }
      await advancePublication(parts.publication, checkpoint, edgeGate, commit, signal);
    } catch (error) {
      if (WaggleError.is(error, "FROZEN")) {
        report.note("frozen", { why: error.message, learning: "goes on" });
        await postponePublication(parts.publication, checkpoint, error.message, commit);
      } else if (WaggleError.is(error, "PUBLICATION_STALE")) {
        report.note("publication-stale");
        followedAt = -Infinity;
      } else throw error;
    }
  }

  /** One move. False when there was nothing to do. */
  async function move(): Promise<boolean> {
    await settle();
    const { alarm, ...state } = checkpoint.state;
    if (alarm !== undefined) {
      await raiseAlarm(parts, alarm);
      await commitState({ ...state, publication: null });
      followedAt = -Infinity;
      return true;
    }
    const isDue = parts.now() - followedAt >= FOLLOW_MS;
    if (isDue || checkpoint.state.publication?.stage === "evaluate") await follow();
    if (hasStableChanged || gate === null) return true;
    if (checkpoint.state.publication !== null) {
      parts.note("publishing", checkpoint.state.step);
      await publish(checkpoint.state.publication.stage, gate);
      return true;
    }
    await leases.renewDue();
    const held = stillHeld();
    if (held.length < buffer.length) await hold(held);
    const wanted = recipe.stage.settings.tasksPerStep - buffered();
    const idleMs = parts.now() - idleSince;
    const isDraining = idleMs >= Math.min(options.idleExitMs, options.partialStepMs);
    const isAlone = buffer.some(({ lease }) => lease.isAlone);
    if (wanted <= 0 || isAlone || (isDraining && buffered() > 0)) {
      if ((await isStillWhole()) && waiting !== null) await learn(waiting);
      return true;
    }
    return takeLease(wanted);
  }

  function limitReached(): TrainingSummary["stoppedBy"] | null {
    const { state } = checkpoint;
    if (signal.aborted) return "signal";
    if (hasStableChanged) return "stable-changed";
    if (hasEnvironmentChanged) return "environment-changed";
    if (state.publication !== null || state.acknowledgements.length > 0) return null;
    if (state.publications >= options.maxPublications) return "max-publications";
    if (state.step >= options.maxSteps) return "max-steps";
    const isIdle = parts.now() - idleSince >= options.idleExitMs;
    return isIdle && buffer.length === 0 ? "idle" : null;
  }

  for (;;) {
    const stoppedBy = limitReached();
    if (stoppedBy !== null) {
      await leases.releaseAll().catch((error: unknown) => report.failure(error));
      return { stoppedBy, state: checkpoint.state, twice };
    }
    try {
      if (await move()) idleSince = parts.now();
      else {
        parts.note("waiting", checkpoint.state.step);
        await parts.sleep(options.pollMs, signal);
      }
    } catch (error) {
      if (signal.aborted) continue;
      if (!WaggleError.is(error) || !error.retryable) throw error;
      report.failure(error);
      await parts.sleep(options.pollMs, signal);
    }
  }
}
