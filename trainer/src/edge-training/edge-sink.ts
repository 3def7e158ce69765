/**
 * Stores what was learned from an edge: first in a checkpoint, then at the edge as acknowledgements,
 * metrics and published versions. A crash at any point neither repeats nor loses a step.
 */
import { WaggleError } from "@waggle/protocol";
import type { LeaseCheck, LeasedBatch } from "./lease-check.ts";
import type { HeldCheckpoint } from "../checkpoint/held-checkpoint.ts";
import {
  lineageOf,
  newPublication,
  type Publication,
  type TrainerState,
} from "../checkpoint/trainer-state.ts";
import type { EdgeFollower } from "../edge/edge-follower.ts";
import type { Sink } from "../training/train.ts";
import type { TrainingOptions, TrainingParts } from "./training-parts.ts";
import { nextInfluence } from "../update/sender-influence.ts";
import { finalOutcome } from "../update/final-outcome.ts";
import { withLearned } from "../update/learned-from.ts";
import { isLost } from "../source/lease-holder.ts";
import type { EdgeLearned } from "./edge-update.ts";
import { driftAlarm, MAX_DRIFTED_STEPS, raiseAlarm } from "../sink/deployment-watch.ts";
import { advancePublication, postponePublication } from "../sink/publication.ts";

type Parts = Pick<
  TrainingParts,
  "edge" | "engine" | "report" | "note" | "publication" | "metricsLog" | "date" | "now" | "newId"
>;
type Options = Pick<TrainingOptions, "publishEvery" | "watch">;

/** The sink of a training loop over an edge: commits, acknowledges, reports and publishes. */
export class EdgeSink implements Sink<Pick<LeasedBatch, "leases">, EdgeLearned> {
  readonly #parts: Parts;
  readonly #options: Options;
  readonly #checkpoint: HeldCheckpoint;
  readonly #follower: EdgeFollower;
  readonly #held: Pick<LeaseCheck, "clear">;
  readonly #signal: AbortSignal;
  #hasEnvironmentChanged = false;
  /** Steps in a row beyond the drift limit, without a learned step since the last publication. */
  #driftedSteps = 0;
  #notedShare: number | null = null;

  constructor(
    parts: Parts,
    options: Options,
    checkpoint: HeldCheckpoint,
    follower: EdgeFollower,
    held: Pick<LeaseCheck, "clear">,
    signal: AbortSignal,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#checkpoint = checkpoint;
    this.#follower = follower;
    this.#held = held;
    this.#signal = signal;
  }

  /**
   * True if the edge assigns tasks of another environment than the one candidates are evaluated in.
   */
  get hasEnvironmentChanged(): boolean {
    return this.#hasEnvironmentChanged;
  }

  /**
   * True while the edge releases a version to a growing share of visitors. The publication stays open, and nothing is
   * learned or published until the edge or an operator has decided.
   */
  get isReleasing(): boolean {
    return this.#checkpoint.state.publication !== null && this.#follower.release !== null;
  }

  async settle(): Promise<boolean> {
    await this.#acknowledge();
    await this.#sendMetrics();
    const { alarm, ...state } = this.#checkpoint.state;
    if (alarm !== undefined) {
      await raiseAlarm(this.#parts, alarm);
      await this.#checkpoint.commitState({ ...state, publication: null });
      this.#follower.forget();
      return true;
    }
    const isEvaluating = this.#checkpoint.state.publication?.stage === "evaluate";
    if (this.#follower.isDue || isEvaluating) await this.#follower.follow();
    if (this.#follower.hasStableChanged || this.#follower.gate === null) return true;
    const { publication, step } = this.#checkpoint.state;
    if (publication === null) return false;
    if (this.isReleasing) {
      this.#noteRelease();
      return false;
    }
    this.#parts.note("publishing", step);
    await this.#publish(publication.stage);
    return true;
  }

  /** Reports the release when it begins and when its share grows. */
  #noteRelease(): void {
    const { release } = this.#follower;
    if (release === null || release.share === this.#notedShare) return;
    this.#notedShare = release.share;
    const because = "visitors decide whether the edge promotes it; learning waits";
    this.#parts.report.note("releasing", { ...release, because });
  }

  async keep(
    { result, drift, excess, startedAt }: EdgeLearned,
    { leases }: Pick<LeasedBatch, "leases">,
  ): Promise<void> {
    const { engine, report, date, now, newId } = this.#parts;
    const { newest } = this.#checkpoint;
    const { state } = newest;
    const learnedStep = typeof result === "string" ? null : result;
    const step = state.step + 1;
    const acknowledgements = leases.map(({ lease, outcomes }) => ({
      leaseId: lease.leaseId,
      fencingToken: lease.fencingToken,
      outcomes: outcomes.map((outcome) => finalOutcome(outcome, result, step)),
    }));
    const learned = acknowledgements
      .flatMap(({ outcomes }) => outcomes)
      .filter(({ status }) => status === "learned");
    const hasLearned = learnedStep !== null && learnedStep.advantages.size > 0;
    const stepsSincePublication = state.stepsSincePublication + (hasLearned ? 1 : 0);
    const isDue = hasLearned && stepsSincePublication >= this.#options.publishEvery;
    // A step beyond a drift limit is undone. Steps learned since the last publication are then published
    // early. If there are none, training returns to the stable version.
    const isDrifted = excess !== null;
    const publishes = isDue || (isDrifted && stepsSincePublication > 0);
    const returns = isDrifted && stepsSincePublication === 0;
    const row = hasLearned && {
      step,
      at: date(),
      metrics: {
        ...learnedStep.metrics,
        ...(drift.stable === null ? {} : { stableDriftKl: drift.stable }),
        ...(drift.base === null ? {} : { baseDriftKl: drift.base }),
        seconds: (now() - startedAt) / 1000,
      },
    };
    if (hasLearned) this.#driftedSteps = 0;
    if (returns) {
      this.#driftedSteps += 1;
      await engine.load(newest.stable);
    }
    const learnedFrom =
      hasLearned && learnedStep.learnedFrom !== null
        ? withLearned(state.learnedFrom, learnedStep.learnedFrom)
        : state.learnedFrom;
    const isAlarm = isDrifted && this.#driftedSteps > MAX_DRIFTED_STEPS;
    if (isAlarm) this.#driftedSteps = 0;
    await this.#checkpoint.commit({
      ...newest,
      engine: returns ? newest.stable : await engine.save(),
      state: {
        ...state,
        step: hasLearned ? step : state.step,
        ...(learnedStep === null ? {} : { kept: { ...state.kept, ...learnedStep.state } }),
        influence: nextInfluence(state.influence ?? [], learnedStep?.influence),
        stepsSincePublication,
        learnedFrom: returns ? undefined : learnedFrom,
        learned: {
          ...state.learned,
          ...Object.fromEntries(learned.map((outcome) => [outcome.digest, outcome])),
        },
        acknowledgements: [...state.acknowledgements, ...acknowledgements],
        metrics: row ? [...state.metrics, row] : state.metrics,
        publication: publishes
          ? newPublication(newId(), state.stableVersion, hasLearned ? step : state.step)
          : null,
        ...(isAlarm && { alarm: driftAlarm(excess) }),
      },
    });
    this.#held.clear();
    if (row) report.step(row);
  }

  /** Sends unconfirmed acknowledgements. */
  async #acknowledge(): Promise<void> {
    for (const pending of this.#checkpoint.state.acknowledgements) await this.#confirm(pending);
  }

  async #confirm({
    leaseId,
    fencingToken,
    outcomes,
  }: TrainerState["acknowledgements"][number]): Promise<void> {
    const { edge, engine, report } = this.#parts;
    let isConfirmed = true;
    let isElsewhere = false;
    try {
      const answer = await edge.acknowledge(leaseId, {
        fencingToken,
        outcomes: [...outcomes],
        ...lineageOf(this.#checkpoint.state),
      });
      if (answer.twice > 0) {
        // Another trainer learned these trajectories while this one was away, so they must not count
        // here.
        isElsewhere = true;
        report.note("learned-elsewhere", { leaseId, trajectories: answer.twice });
        await engine.load(this.#checkpoint.newest.stable);
      }
    } catch (error) {
      if (!isLost(error)) throw error;
      // The trajectories stay learned; they are acknowledged when their groups are leased again.
      isConfirmed = false;
      report.note("lease-lost", { leaseId });
    }
    const { newest, state } = this.#checkpoint;
    const told = new Set(isConfirmed ? outcomes.map(({ digest }) => digest) : []);
    await this.#checkpoint.commit({
      ...newest,
      engine: isElsewhere ? newest.stable : newest.engine,
      state: {
        ...state,
        acknowledgements: state.acknowledgements.filter((other) => other.leaseId !== leaseId),
        learned: Object.fromEntries(
          Object.entries(state.learned).filter(([digest]) => !told.has(digest)),
        ),
        ...(isElsewhere
          ? { stepsSincePublication: 0, publication: null, learnedFrom: undefined }
          : {}),
      },
    });
  }

  async #sendMetrics(): Promise<void> {
    const { metrics } = this.#checkpoint.state;
    if (metrics.length === 0) return;
    for (const row of metrics) this.#parts.metricsLog.add({ event: "step", ...row });
    await this.#parts.metricsLog.settled();
    await this.#parts.edge.postMetrics(metrics);
    await this.#checkpoint.commitState({ ...this.#checkpoint.state, metrics: [] });
  }

  /** Runs one stage of the publication in progress, unless publishing is frozen. */
  async #publish(stage: Publication["stage"]): Promise<void> {
    const { edge, publication, report } = this.#parts;
    const { gate } = this.#follower;
    if (gate === null) return;
    const commit = this.#checkpoint.commit.bind(this.#checkpoint);
    try {
      if (stage === "evaluate") {
        const { frozen, environment } = await edge.control();
        this.#hasEnvironmentChanged = environment !== publication.environment;
        if (this.#hasEnvironmentChanged) return;
        // Checked before the costly evaluation; at later stages the edge itself refuses.
        if (frozen !== null) {
          const { by, at, reason } = frozen;
          throw new WaggleError("FROZEN", `${by} froze promotions at ${at}: ${reason}`);
        }
      }
      await advancePublication(publication, this.#checkpoint.newest, gate, commit, this.#signal);
      // A published candidate may have started a release.
      if (stage === "publish") this.#follower.forget();
    } catch (error) {
      if (WaggleError.is(error, "FROZEN")) {
        report.note("frozen", { why: error.message, learning: "continues" });
        await postponePublication(publication, this.#checkpoint.newest, error.message, commit);
      } else if (WaggleError.is(error, "PUBLICATION_STALE")) {
        report.note("publication-stale");
        this.#follower.forget();
      } else throw error;
    }
  }
}
