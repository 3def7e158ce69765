/** Runs trainer processes over an in-memory edge and kills them at any call. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constantRate } from "@waggle/learning";
import type { LeasedGroup, TensorMap, TrainEngine } from "@waggle/protocol";
import { createAdapterCache } from "../model/adapter-cache.ts";
import {
  type TrainerCheckpoint,
  type TrainerCheckpoints,
  openTrainerCheckpoints,
} from "../checkpoint/trainer-checkpoint.ts";
import type { WatchLimits } from "../sink/deployment-watch.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import { type EdgeRecipe, edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { createLeaseHolder } from "../source/lease-holder.ts";
import { openMetricsLog } from "../metrics/metrics-log.ts";
import type { PublicationParts } from "../sink/publication.ts";
import { createReporter } from "../metrics/reporter.ts";
import { initialState } from "../checkpoint/trainer-state.ts";
import { runTrainingLoop } from "./training-loop.ts";
import type { TrainingSummary } from "./training-parts.ts";
import type { TrajectoryChecker } from "../check/trajectory-check.ts";
import type { FrozenScorer } from "../update/recipe-models.ts";
import { type InfluenceShares, UNBOUNDED } from "../update/sender-influence.ts";
import {
  parityChecker,
  randomGroups,
  TINY,
  TINY_ADAPTER,
  TINY_BASE,
  tinyEngine,
} from "./training.fixture.ts";

export const GROUPS: readonly LeasedGroup[] = await randomGroups(10, 4);
export const WITH_SIGNAL: readonly LeasedGroup[] = GROUPS.filter(
  ({ trajectories }) =>
    new Set(trajectories.map(({ trajectory }) => trajectory.segments.at(-1)?.tokenIds.at(-1)))
      .size === 2,
);
const defaultRecipe = edgeRecipeNamed("dr-grpo-tis", {
  groupsPerStep: 2,
  learningRate: constantRate(0.02),
});
const folders: string[] = [];
/** Deletes the folders that `createSetup` made. */
export async function removeSetups(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}

/** The edge and folder that outlive a killed process. */
export type Setup = { readonly edge: FakeEdge; readonly folder: string };

export async function createSetup(groups: readonly LeasedGroup[] = GROUPS): Promise<Setup> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-trainer-"));
  folders.push(folder);
  return { edge: new FakeEdge(groups, TINY_BASE), folder };
}

export class Killed extends Error {}

/** Counts method calls and dies at one of them, before or after it takes effect. */
export class Killer {
  calls: number = 0;
  readonly #at: number;
  readonly #isAfter: boolean;

  constructor(at: number, isAfter: boolean) {
    this.#at = at;
    this.#isAfter = isAfter;
  }

  wrap<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name, receiver) => {
        const member: unknown = Reflect.get(object, name, receiver);
        if (typeof member !== "function") return member;
        // The only synchronous call of the ports; it changes nothing.
        if (name === "capabilities") return member.bind(object);
        return async (...args: unknown[]): Promise<unknown> => {
          this.calls += 1;
          // A dead process makes no more calls.
          if (this.#at > 0 && this.calls > this.#at) throw new Killed("dead");
          const isNow = this.calls === this.#at;
          if (isNow && !this.#isAfter) throw new Killed("before");
          const result: unknown = await (member as (...all: unknown[]) => unknown).apply(
            object,
            args,
          );
          if (isNow) throw new Killed("after");
          return result;
        };
      },
    });
  }
}

export type RunOptions = {
  /** Default: leaves out groups without a signal. */
  readonly recipe?: EdgeRecipe;
  readonly killer?: Killer;
  /** Default `parityChecker`. */
  readonly checker?: TrajectoryChecker;
  readonly promotes?: boolean;
  /** Success of a version on the frozen tasks; every turn is readable. */
  readonly evaluate?: (version: number) => Promise<boolean[]>;
  readonly watch?: Partial<WatchLimits>;
  /** Log-probs under the base model. */
  readonly base?: FrozenScorer;
  readonly mayPromote?: PublicationParts["mayPromote"];
  readonly shuffleAdvantages?: boolean;
  readonly shares?: InfluenceShares;
  readonly signal?: AbortSignal;
  readonly engineOf?: (engine: TrainEngine) => TrainEngine;
  readonly edgeClient?: (client: EdgeClient) => EdgeClient;
  readonly maxSteps?: number;
  readonly partialStepMs?: number;
  readonly idleExitMs?: number;
};

const WATCH_LIMITS: WatchLimits = {
  success: 0.05,
  readable: 0.05,
  falseAlarm: 0.001,
  drift: Infinity,
};

const evaluateTwo = async (version: number): Promise<boolean[]> => [true, version > 0];

/** Runs a trainer process once over a setup. */
export async function live(
  setup: Setup,
  options: RunOptions = {},
): Promise<{ summary: TrainingSummary; parameters: TensorMap }> {
  const { recipe = defaultRecipe } = options;
  const killer = options.killer ?? new Killer(0, false);
  const realEngine = await tinyEngine();
  const engine = killer.wrap((options.engineOf ?? ((same) => same))(realEngine));
  const edge = killer.wrap((options.edgeClient ?? ((client) => client))(setup.edge.client()));
  const stored: TrainerCheckpoints = openTrainerCheckpoints(setup.folder);
  const store = killer.wrap(stored);
  const report = createReporter(() => {}, true);
  const adapterCache = createAdapterCache({
    folder: join(setup.folder, "adapters"),
    config: TINY,
    download: (digest) => edge.getObject(digest),
  });
  try {
    let start: TrainerCheckpoint | null = await stored.load();
    if (start === null) {
      const fresh = await realEngine.save();
      const state = initialState({ baseModel: TINY_BASE, recipe: recipe.name, seed: 7 });
      start = { state, engine: fresh, stable: fresh };
    } else await realEngine.load(start.engine);
    const summary = await runTrainingLoop(
      {
        edge,
        engine,
        recipe,
        base: options.base,
        checker: killer.wrap(options.checker ?? parityChecker),
        leases: createLeaseHolder({
          edge,
          trainerId: "test",
          durationSeconds: 60,
          now: () => setup.edge.now,
        }),
        store,
        publication: {
          edge,
          engine,
          adapterCache,
          adapterShape: TINY_ADAPTER,
          evaluate: async (version) => {
            const successes = await (options.evaluate ?? evaluateTwo)(version);
            return { successes, readable: successes.map(() => true) };
          },
          environment: "shop",
          evaluationName: "two-tasks",
          mayPromote: options.mayPromote ?? (() => options.promotes ?? true),
          report,
        },
        metricsLog: await openMetricsLog(setup.folder, { from: start.state.step }),
        report,
        note: () => {},
        sleep: async (ms) => {
          setup.edge.now += ms;
        },
        now: () => setup.edge.now,
        date: () => new Date(setup.edge.now).toISOString(),
        newId: randomUUID,
      },
      {
        publishEvery: 2,
        band: 0.1,
        microbatchTokens: 40,
        shuffleAdvantages: options.shuffleAdvantages ?? false,
        shares: options.shares ?? UNBOUNDED,
        pollMs: 1000,
        watch: { ...WATCH_LIMITS, ...options.watch },
        maxSteps: options.maxSteps ?? Infinity,
        maxPublications: Infinity,
        partialStepMs: options.partialStepMs ?? Infinity,
        idleExitMs: options.idleExitMs ?? 5000,
      },
      start,
      options.signal ?? new AbortController().signal,
    );
    return { summary, parameters: await realEngine.parameters() };
  } finally {
    await realEngine.dispose();
  }
}
