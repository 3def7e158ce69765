/** Parts, options and summary of the training loop. Types only. */
import type { PartPorts } from "@waggle/learning";
import type { TrainEngine } from "@waggle/protocol";
import type { TrainerCheckpoints } from "../checkpoint/trainer-checkpoint.ts";
import type { WatchLimits } from "../sink/deployment-watch.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import type { HeartbeatSender } from "../edge/heartbeat.ts";
import type { LeaseHolder } from "../source/lease-holder.ts";
import type { MetricsLog } from "../metrics/metrics-log.ts";
import type { PublicationParts } from "../sink/publication.ts";
import type { Reporter } from "../metrics/reporter.ts";
import type { Turn } from "./fair-turns.ts";
import type { TrainerState } from "../checkpoint/trainer-state.ts";
import type { FrozenScorer } from "../update/recipe-models.ts";
import type { InfluenceShares } from "../update/sender-influence.ts";
import type { TrajectoryChecker } from "../check/trajectory-check.ts";

/** The ports and objects that the loop uses. */
export type TrainingParts = {
  readonly edge: EdgeClient;
  readonly engine: TrainEngine;
  readonly recipe: EdgeRecipe;
  /** Log-probs under the base model, for a KL term and the drift from it; absent = neither is computed. */
  readonly base?: FrozenScorer | undefined;
  readonly checker: TrajectoryChecker;
  /** Renders visitors' corrections into prompts; absent = no recipe reads them. */
  readonly hinted?: PartPorts["hinted"];
  readonly leases: LeaseHolder;
  readonly store: TrainerCheckpoints;
  readonly publication: PublicationParts;
  readonly metricsLog: MetricsLog;
  readonly report: Reporter;
  /** Called with the loop's current activity. */
  readonly note: HeartbeatSender["note"];
  /** Resolves after that many milliseconds, or as soon as the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  /** The current time, ISO 8601. */
  readonly date: () => string;
  /** A fresh UUID. */
  readonly newId: () => string;
  /** Waits until other sites of the process let this one compute; default: there are none. */
  readonly turn?: Turn | undefined;
};

export type TrainingOptions = {
  readonly publishEvery: number;
  readonly band: number;
  readonly microbatchTokens: number;
  readonly shuffleAdvantages: boolean;
  /** Bounds on the share of a step that one sender causes. */
  readonly shares: InfluenceShares;
  readonly pollMs: number;
  /** Groups that wait this long for more are trained on without them; `Infinity` = never. */
  readonly partialStepMs: number;
  /** Stop after this many steps, counted over the life of the state; `Infinity` = never. */
  readonly maxSteps: number;
  readonly maxPublications: number;
  readonly watch: WatchLimits;
  /** Train on the remaining groups and stop after this long without work; `Infinity` = never. */
  readonly idleExitMs: number;
};

/** Why a training loop ended, and its counts. */
export type TrainingSummary = {
  /**
   * `stable-changed`: the edge's stable version changed; restart from it. `environment-changed`: the
   * edge assigns tasks of another environment, so candidates must be evaluated on those.
   */
  readonly stoppedBy:
    | "signal"
    | "max-steps"
    | "max-publications"
    | "idle"
    | "stable-changed"
    | "environment-changed";
  readonly state: TrainerState;
  /** Digests that the edge had already counted as learned; must be 0. */
  readonly twice: number;
};
