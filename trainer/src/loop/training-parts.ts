/** What the training loop is made of, what may be asked of it, and how it ended. Types only. */
import type { TrainEngine } from "@waggle/protocol";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.ts";
import type { WatchLimits } from "../sink/deployment-watch.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import type { HeartbeatSender } from "../edge/heartbeat.ts";
import type { LeaseHolder } from "../source/lease-holder.ts";
import type { MetricsLog } from "../metrics/metrics-log.ts";
import type { PublicationParts } from "../sink/publication.ts";
import type { Reporter } from "../metrics/reporter.ts";
import type { TrainerState } from "../checkpoint/trainer-state.ts";
import type { TrajectoryChecker } from "../check/trajectory-check.ts";

export type TrainingParts = {
  readonly edge: EdgeClient;
  readonly engine: TrainEngine;
  readonly recipe: EdgeRecipe;
  readonly checker: TrajectoryChecker;
  readonly leases: LeaseHolder;
  readonly store: CheckpointStore;
  readonly publication: PublicationParts;
  readonly metricsLog: MetricsLog;
  readonly report: Reporter;
  /** Told what the loop does now. */
  readonly note: HeartbeatSender["note"];
  /** Resolves after that many milliseconds, at once when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds, never falling. */
  readonly now: () => number;
  /** ISO 8601. */
  readonly date: () => string;
  /** A fresh UUID. */
  readonly newId: () => string;
};

export type TrainingOptions = {
  readonly publishEvery: number;
  readonly band: number;
  readonly microbatchTokens: number;
  readonly shuffleAdvantages: boolean;
  /** Most that one visitor decides of a step, in (0, 1]; 1 = no bound. */
  readonly visitorShare: number;
  readonly pollMs: number;
  /** Groups that wait this long for more are learned from as they are; `Infinity` = never. */
  readonly partialStepMs: number;
  /** Stop after so many; `Infinity` = never. Counted over the life of the state. */
  readonly maxSteps: number;
  readonly maxPublications: number;
  readonly watch: WatchLimits;
  /** Learn from what is left and stop after this long without work; `Infinity` = never. */
  readonly idleExitMs: number;
};

export type TrainingSummary = {
  /**
   * `stable-changed`: the edge serves other parameters; go on from those. `environment-changed`: it
   * assigns other tasks, so candidates must be evaluated on others, too.
   */
  readonly stoppedBy:
    | "signal"
    | "max-steps"
    | "max-publications"
    | "idle"
    | "stable-changed"
    | "environment-changed";
  readonly state: TrainerState;
  /** Digests that the edge had already counted as learned: must be 0. */
  readonly twice: number;
};
