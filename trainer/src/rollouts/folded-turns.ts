/** A rollout in which every turn has its own context with the notes so far; each turn is a trajectory. */
import { foldedRollout } from "@waggle/agent";
import { foldedDemonstration, managedRollout } from "@waggle/agent/environments";
import type { Judgment } from "@waggle/environments";
import { type FoldedOptions, type JudgedTrajectory, toJudgedTrajectory } from "@waggle/learning";
import { seededRandom, type TaskReference, type Trajectory } from "@waggle/protocol";
import type { DriverOptions, DriverParts } from "./driver-parts.ts";

/** The turns of one rollout. */
export async function foldedTurns(
  { demonstrated, managed, records }: FoldedOptions,
  parts: DriverParts,
  options: DriverOptions,
  task: TaskReference,
): Promise<JudgedTrajectory[]> {
  const { policy, format, spec, signal } = parts;
  const { sampling, maxTurns, seed, staleness } = options;
  if (managed !== undefined) {
    const { turns, verification } = await managedRollout(managed, parts, task, options);
    return jointTrajectories(turns, verification, staleness);
  }
  if (demonstrated !== undefined) {
    const { contextLength } = policy;
    const drawn = { contextLength, ...demonstrated, random: seededRandom(seed), seed };
    const shown = await foldedDemonstration(spec, task, format, drawn, signal);
    return jointTrajectories(asTurns(shown.trajectories), shown.verification, staleness);
  }
  const client = { ...policy.client, crossOriginIsolated: false };
  const instance = spec.create(task);
  const { trajectories, finalText } = await foldedRollout(
    instance.environment,
    { policy, client, hear: () => {} },
    format,
    {
      sampling,
      maxTurns: maxTurns ?? spec.maxTurns,
      maxTurnTokens: spec.maxTurnTokens,
      seed,
      records,
    },
    signal,
  );
  const verification = await instance.judge(finalText);
  return jointTrajectories(asTurns(trajectories), verification, staleness);
}

type FoldedTurn = { readonly trajectory: Trajectory; readonly role?: string };

function asTurns(trajectories: readonly Trajectory[]): FoldedTurn[] {
  return trajectories.map((trajectory) => ({ trajectory }));
}

/** The turns as trajectories, each with the judgment of the whole rollout. */
function jointTrajectories(
  turns: readonly FoldedTurn[],
  verification: Judgment,
  staleness: number,
): JudgedTrajectory[] {
  const joint = turns[0]?.trajectory.id ?? null;
  return turns.map(({ trajectory, ...role }) =>
    toJudgedTrajectory(trajectory, verification, { ...role, staleness, joint }),
  );
}
