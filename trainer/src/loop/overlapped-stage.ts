/**
 * A stage whose rollouts go on while it learns: one task with its group is one rollout, its lag is that of
 * its oldest token. Limits hold as `overlapped-steps.ts` carries them out; what was dropped for its age
 * is in the metrics.
 */
import { tokenVersions } from "@waggle/learning";
import type { JudgedGroup } from "@waggle/learning";
import { overlappedSteps } from "./overlapped-steps.ts";
import type { SwapPoint } from "../rollouts/swapping-policy.ts";

export type OverlapOptions = {
  /** Steps between the version of the oldest token and the one that learns from it; 0 is synchronous. */
  readonly mostStaleness: number;
  /** Tasks, each with its group, that are rolled out at one time. Default 4. */
  readonly mostRunning?: number | undefined;
  /** Tasks that run or wait to be learned from. Default those of all steps within the limit. */
  readonly mostWaiting?: number | undefined;
  /** Where a rollout goes on under a newer version. */
  readonly swap: SwapPoint;
};

/** What the run of a recipe does for it. */
export type StageHost = {
  /** One task with its group. */
  readonly rollOut: (signal: AbortSignal) => Promise<JudgedGroup[]>;
  /** One step from these, its version published. */
  readonly learn: (
    groups: JudgedGroup[],
    step: number,
    metrics: { readonly [name: string]: number },
  ) => Promise<void>;
  /** Of the policy now; grows with every publication. */
  readonly policyVersion: () => number;
};

/** Tasks rolled out at one time where nobody says another number: their groups fill a decode run. */
const RUNNING = 4;

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
  /** The step whose version a policy's is; an evaluation gives the same weights a number more. */
  const stepOf = (version: number): number =>
    Math.max(
      0,
      published.findLastIndex((first) => first <= version),
    );
  let idleSince = performance.now();
  await overlappedSteps<JudgedGroup[]>(
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
        const lags = ofTrajectories.flat().map((of) => version - stepOf(of));
        await host.learn(groups, version, {
          lagMean: lags.reduce((sum, lag) => sum + lag, 0) / Math.max(1, lags.length),
          lagMost: Math.max(0, ...batch.map(({ oldest }) => version - oldest)),
          ofSeveralVersions: ofTrajectories.filter((of) => new Set(of.map(stepOf)).size > 1).length,
          tooOld: counts.tooOld,
          failed: counts.failed,
          running: running.length,
          waiting: waiting.length,
          idleSeconds: idle,
        });
        published.push(host.policyVersion());
        idleSince = performance.now();
      },
    },
    signal,
  );
}

/** `[trajectories][sampled tokens]` */
function versionsOf(groups: readonly JudgedGroup[]): number[][] {
  return groups.flatMap(({ trajectories }) =>
    trajectories.map(({ record: trajectory }) => tokenVersions(trajectory)),
  );
}
