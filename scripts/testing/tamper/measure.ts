/** How many records of each kind the trainer's check rejects, and what drawing again costs. */
import { SHOP } from "@waggle/demo/environment";
import {
  type GrammarCompiler,
  type LeasedGroup,
  type LeasedTrajectory,
  type TaskReference,
  type TrainingSample,
  toTrainingSamples,
  type Trajectory,
  trajectoryDigest,
  type TrajectoryOutcome,
} from "@waggle/protocol";
import type { Adapter } from "@waggle/model";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { expandGrammars } from "../../../trainer/src/check/grammar-expansion.ts";
import { bandsOf } from "../../../trainer/src/check/format-bands.ts";
import { drawGaps } from "../../../trainer/src/check/redraw.ts";
import { createReplay } from "../../../trainer/src/check/replay.ts";
import { rescore } from "../../../trainer/src/check/rescoring.ts";
import { judgeLease } from "../../../trainer/src/check/lease-judgment.ts";
import {
  type CheckedTrajectory,
  createTrajectoryChecker,
  LOG_PROB_BAND,
  type TrajectoryChecker,
} from "../../../trainer/src/check/trajectory-check.ts";
import { initialState, type TrainerState } from "../../../trainer/src/checkpoint/trainer-state.ts";
import { grammarsOf } from "../../../trainer/src/model/model-grammars.ts";
import { edgeRecipeNamed } from "../../../trainer/src/recipes/edge-recipe.ts";
import type { BaseModel } from "../../../trainer/src/model/base-model.ts";
import { ReputationLedger } from "../poison/reputation-ledger.ts";

const VISITOR = "00000000-0000-4000-8000-000000000000";

/** What the check said about some records. */
type Outcomes = {
  /** Records by reason, with `learned` for accepted ones. */
  readonly counts: ReadonlyMap<string, number>;
  /** Largest |behavior − re-scored| of one token, in nats. */
  readonly logProbGapMax: number;
  /** Largest mean of one record, in nats. */
  readonly logProbGapMean: number;
};

/** What became of the records of one visitor. */
export type VisitorOutcomes = Pick<Outcomes, "counts"> & {
  /** Those that were learned from. */
  readonly learned: readonly Trajectory[];
  /** Whether nothing of what the visitor sends next is learned from. */
  readonly isQuarantined: boolean;
};

/** What a judge knows besides the base model. */
type JudgeOptions = {
  /** Adapter of version 1, which is then the newest. Without it, the base model is. */
  readonly newest?: Adapter;
  /** Default 1. */
  readonly maxStaleness?: number;
};

const NEWEST = { sha256: "a".repeat(64), sizeBytes: 1, rank: 4, alpha: 8 };

/** The trainer's check and re-scoring over one policy. */
export class Judge {
  readonly #policy: AdaptivePolicy;
  readonly #grammars: GrammarCompiler;
  readonly #checker: TrajectoryChecker;
  readonly #state: TrainerState;

  constructor(
    model: BaseModel,
    policy: AdaptivePolicy,
    { newest, maxStaleness = 1 }: JudgeOptions = {},
  ) {
    const { contextLength, vocabularySize, baseModel } = policy;
    this.#policy = policy;
    this.#grammars = grammarsOf(model, vocabularySize);
    const first = initialState({ baseModel, recipe: "dr-grpo-tis", seed: 1 });
    const second = { version: 1, adapter: NEWEST, isRolledBack: false };
    this.#state =
      newest === undefined ? first : { ...first, versions: [...first.versions, second] };
    this.#checker = createTrajectoryChecker({
      policy,
      adapterCache: newest === undefined ? NO_ADAPTERS : { get: () => Promise.resolve(newest) },
      replay: createReplay({
        format: model.format,
        contextLength,
        vocabularySize,
        environments: [SHOP],
      }),
      maxStaleness,
      ...bandsOf(model.storedFormat),
      grammars: this.#grammars,
    });
  }

  /**
   * Checks one record for its own task.
   *
   * @param digest - default that of the record.
   * @param task - task of its group.
   */
  async check(
    record: Trajectory,
    digest?: string,
    task: TaskReference | null = record.task,
  ): Promise<CheckedTrajectory> {
    const leased = await leasedAs(record, digest);
    const group = { groupId: VISITOR, task, size: 1, trajectories: [leased] };
    return this.#checker.check(leased, group, this.#state);
  }

  /** Reasons of the records of one group, with `learned` for accepted ones. */
  async group(records: readonly Trajectory[]): Promise<string[]> {
    const outcomes = await this.#lease([
      {
        groupId: VISITOR,
        task: records[0]?.task ?? null,
        size: records.length,
        trajectories: await Promise.all(records.map((record) => leasedAs(record))),
      },
    ]);
    return outcomes.map(({ reason, status }) => reason ?? status);
  }

  /**
   * What becomes of the records of one visitor, each for another task, that come in several leases. The edge's reputation
   * weighs them.
   */
  async visitor(records: readonly Trajectory[], perLease: number): Promise<VisitorOutcomes> {
    const ledger = new ReputationLedger();
    const sender = { visitorId: VISITOR, network: "network" };
    const counts = new Map<string, number>();
    const learned: Trajectory[] = [];
    for (let i = 0; i < records.length; i += perLease) {
      const reputation = ledger.weightOf(sender);
      const groups: LeasedGroup[] = [];
      for (const record of records.slice(i, i + perLease)) {
        const leased = { ...(await leasedAs(record)), reputation };
        groups.push({ groupId: leased.digest, task: record.task, size: 1, trajectories: [leased] });
      }
      for (const outcome of await this.#lease(groups)) {
        ledger.judge(sender, outcome);
        const what = outcome.reason ?? outcome.status;
        counts.set(what, (counts.get(what) ?? 0) + 1);
        if (outcome.status !== "learned") continue;
        const group = groups.find(({ groupId }) => groupId === outcome.digest);
        learned.push(...(group?.trajectories ?? []).map(({ trajectory }) => trajectory));
      }
    }
    const isQuarantined = ledger.weightOf(sender) === 0;
    ledger.close();
    return { counts, learned, isQuarantined };
  }

  async #lease(groups: readonly LeasedGroup[]): Promise<readonly TrajectoryOutcome[]> {
    const lease = { leaseId: "l", fencingToken: 1, groups };
    const recipe = edgeRecipeNamed("dr-grpo-tis");
    const coming = { step: 0, seed: 1, band: LOG_PROB_BAND.max };
    const nothing = () => Promise.resolve();
    return (await judgeLease(lease, recipe, this.#checker, this.#state, coming, nothing)).outcomes;
  }

  async outcomes(records: readonly Trajectory[]): Promise<Outcomes> {
    const counts = new Map<string, number>();
    let [max, mean] = [0, 0];
    for (const trajectory of records) {
      const { outcome } = await this.check(trajectory);
      const what = outcome.reason ?? outcome.status;
      counts.set(what, (counts.get(what) ?? 0) + 1);
      max = Math.max(max, outcome.logProbGapMax ?? 0);
      mean = Math.max(mean, outcome.logProbGapMean ?? 0);
    }
    return { counts, logProbGapMax: max, logProbGapMean: mean };
  }

  /** The draw gap of every token, in nats. */
  async gaps(records: readonly Trajectory[]): Promise<number[]> {
    const gaps: number[] = [];
    for (const record of records) gaps.push(...(await this.#rescored(record, true)).gaps);
    return gaps;
  }

  /** CPU time of re-scoring with drawing again, as a multiple of the time without: the median of `rounds` passes. */
  async cost(records: readonly Trajectory[], rounds: number): Promise<number> {
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const ms = [0, 0];
      for (const [i, record] of records.entries()) {
        // Whichever is second finds warm caches, so they take turns.
        for (const draws of (i + round) % 2 === 0 ? [0, 1] : [1, 0]) {
          ms[draws] = (ms[draws] as number) + (await this.#rescored(record, draws === 1)).ms;
        }
      }
      ratios.push((ms[1] as number) / (ms[0] as number));
    }
    return ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] as number;
  }

  async #rescored(
    record: Trajectory,
    draws: boolean,
  ): Promise<{ readonly gaps: readonly number[]; readonly ms: number }> {
    const expanded = await expandGrammars(record, this.#grammars, this.#policy.vocabularySize);
    const samples = toTrainingSamples(expanded ?? record);
    const parts = { policy: this.#policy, adapterCache: NO_ADAPTERS };
    const began = process.cpuUsage();
    const drawnAmong = draws ? samples.map(amongOf) : null;
    const { drawIntervals } = await rescore(parts, samples, this.#state, drawnAmong);
    const gaps = drawIntervals === null ? [] : drawGaps(samples, drawIntervals);
    const { user, system } = process.cpuUsage(began);
    return { gaps, ms: (user + system) / 1000 };
  }
}

/** A record as the edge leases it, without feedback. */
async function leasedAs(trajectory: Trajectory, digest?: string): Promise<LeasedTrajectory> {
  return {
    digest: digest ?? (await trajectoryDigest(trajectory)),
    visitorId: VISITOR,
    receivedAt: "",
    trajectory,
    feedback: [],
  };
}

const amongOf = ({ sequence, lossMask }: TrainingSample): readonly (readonly number[] | null)[] =>
  sequence.keptTokenIds ?? lossMask.map(() => null);

const NO_ADAPTERS = { get: () => Promise.reject(new Error("there is no adapter")) };
