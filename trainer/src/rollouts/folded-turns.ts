/** A rollout in which every turn has its own context with the notes so far; each turn is a trajectory. */
import { foldedRollout } from "@waggle/agent";
import type { FoldedOptions, JudgedTrajectory } from "@waggle/learning";
import { seededRandom, type TaskReference } from "@waggle/protocol";
import type { DriverOptions, DriverParts } from "./driver-parts.ts";
import { foldedDemonstration, foldedTrajectories } from "./folded-rollout.ts";
import { managedTurns } from "./managed-turns.ts";

/** The turns of one rollout. */
export async function foldedTurns(
  { demonstrated, managed, records }: FoldedOptions,
  parts: DriverParts,
  options: DriverOptions,
  task: TaskReference,
): Promise<JudgedTrajectory[]> {
  const { policy, format, spec, signal } = parts;
  const { sampling, maxTurns, seed, staleness } = options;
  if (managed !== undefined) return managedTurns(managed, parts, options, task);
  if (demonstrated !== undefined) {
    const { contextLength } = policy;
    const drawn = { contextLength, ...demonstrated, random: seededRandom(seed), seed };
    return foldedTrajectories(
      await foldedDemonstration(spec, task, format, drawn, signal),
      staleness,
    );
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
  return foldedTrajectories({ trajectories, verification }, staleness);
}
