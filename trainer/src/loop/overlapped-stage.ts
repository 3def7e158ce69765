/**
 * A stage whose rollouts continue while it trains. One rollout is a task with its group; its staleness is
 * that of its oldest token. `rollouts-in-flight.ts` enforces the limits. The metrics count groups that
 * were dropped as too old.
 */
import type { SwapPoint } from "@waggle/agent";
import { tokenVersions } from "@waggle/learning";
import type { JudgedGroup } from "@waggle/learning";
import { overlappedSteps } from "./overlapped-steps.ts";

export type OverlapOptions = {
  /**
   * Most steps between the version of the oldest token and the step that trains on it; 0 is
   * synchronous.
   */
  readonly mostStaleness: number;
  /** Tasks, each with its group, that are rolled out at the same time. Default 4. */
  readonly mostRunning?: number | undefined;
  /**
   * Tasks that are running or waiting for a step. Default: enough for all steps within the staleness
   * limit.
   */
  readonly mostWaiting?: number | undefined;
  /** Where a running rollout switches to a newer version. */
  readonly swap: SwapPoint;
};

type Metrics = { readonly [name: string]: number };

/** What the run provides to an overlapped stage. */
export type StageHost = {
  /** Rolls out one task with its group. */
  readonly rollOut: (signal: AbortSignal) => Promise<readonly JudgedGroup[]>;
  /**
   * Takes one step on these groups and publishes its version.
   * @returns its metrics.
   */
  readonly learn: (groups: readonly JudgedGroup[], step: number) => Promise<Metrics>;
  /** Stores a step. */
  readonly keep: (metrics: Metrics) => Promise<void>;
  /** The policy's current version; increases with every publication. */
  readonly policyVersion: () => number;
};

/** Default number of tasks rolled out at the same time: their groups fill one decode batch. */
const RUNNING = 4;

/** Runs all steps of the stage. */
export async function overlappedStage(
  host: StageHost,
  { steps, tasksPerStep }: { readonly steps: number; readonly tasksPerStep: number },
  options: OverlapOptions,
  signal: AbortSignal,
): Promise<void> {
  const { mostStaleness, mostRunning = RUNNING } = options;
  const batchSize = tasksPerStep;
  const mostWaiting = options.mostWaiting ?? (mostStaleness + 1) * batchSize + mostRunning;
  const published = [host.policyVersion()];
  /**
   * The step that published a policy version. An evaluation republishes the same weights under the next
   * number.
   */
  const stepOf = (version: number): number =>
    Math.max(
      0,
      published.findLastIndex((first) => first <= version),
    );
  let idleSince = performance.now();
  await overlappedSteps<readonly JudgedGroup[], Metrics>(
    { batchSize, mostStaleness, mostRunning, mostWaiting },
    steps,
    {
      rollOut: async (_, begunAt, stop) => {
        const groups = await host.rollOut(stop);
        const versions = versionsOf(groups).flat();
        const oldest = versions.length === 0 ? begunAt : stepOf(Math.min(...versions));
        return { value: groups, oldest: Math.max(begunAt, oldest) };
      },
      learn: async (batch, { capacity: { version }, counts, running, waiting }) => {
        const idle = (performance.now() - idleSince) / 1000;
        const groups = batch.flatMap(({ value, oldest }) =>
          value.map(({ task, trajectories }) => ({
            task,
            trajectories: trajectories.map((trajectory) => ({
              ...trajectory,
              staleness: version - oldest,
            })),
          })),
        );
        const ofTrajectories = versionsOf(groups);
        const ages = ofTrajectories.flat().map((of) => version - stepOf(of));
        return {
          ...(await host.learn(groups, version)),
          lagMean: ages.reduce((sum, age) => sum + age, 0) / Math.max(1, ages.length),
          lagMost: Math.max(0, ...batch.map(({ oldest }) => version - oldest)),
          ofSeveralVersions: ofTrajectories.filter((of) => new Set(of.map(stepOf)).size > 1).length,
          tooOld: counts.tooOld,
          failed: counts.failed,
          running: running.length,
          waiting: waiting.length,
          idleSeconds: idle,
        };
      },
      keep: async (metrics) => {
        await host.keep(metrics);
        published.push(host.policyVersion());
        idleSince = performance.now();
      },
    },
    signal,
  );
}

/** `[trajectories][sampled tokens]` versions. */
function versionsOf(groups: readonly JudgedGroup[]): number[][] {
  return groups.flatMap(({ trajectories }) =>
    trajectories.map(({ record: trajectory }) => tokenVersions(trajectory)),
  );
}
