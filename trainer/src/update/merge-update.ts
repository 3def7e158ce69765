/**
 * Carries a merging stage out: every member learns from the same start, moments included, and what they
 * changed becomes one model, or with a gate the best of them. Adapters are merged factor by factor. How a
 * member learns and is rewarded is the caller's.
 */
import { chosenMerge, taskVector, withTaskVectors } from "@waggle/learning";
import type { Stage } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { setParameters } from "./engine-parameters.ts";

type Merging = NonNullable<Stage["merging"]>;

export type MergeHost = {
  /** Learns with what the engine holds. */
  readonly learn: (stages: readonly Stage[]) => Promise<unknown>;
  /** Share of a gate's tasks that what the engine holds solves. */
  readonly score: (gate: NonNullable<Merging["gate"]>) => Promise<number>;
  readonly random: () => number;
};

export type Merged = {
  /** What each member changed. */
  readonly deltas: readonly TensorMap[];
  /** False where the gate kept a member; the engine holds what was taken. */
  readonly isTaken: boolean;
};

export async function mergeMembers(
  engine: TrainEngine,
  { members, how, gate }: Merging,
  { learn, score, random }: MergeHost,
): Promise<Merged> {
  const start = await engine.save();
  const base = await engine.parameters();
  const deltas: TensorMap[] = [];
  for (const stages of members) {
    await engine.load(start);
    await learn(stages);
    deltas.push(taskVector(await engine.parameters(), base));
  }
  await engine.load(start);
  const merge = how.merge(base, deltas, { random });
  if (gate === undefined) {
    await setParameters(engine, merge);
    return { deltas, isTaken: true };
  }
  const models = deltas.map((delta) => withTaskVectors(base, [delta], 1));
  const scores: number[] = [];
  for (const candidate of [...models, merge]) {
    await setParameters(engine, candidate);
    scores.push(await score(gate));
  }
  const parents = scores.slice(0, -1);
  const isTaken = chosenMerge({ parents, merges: scores.slice(-1) }) !== null;
  const best = models[parents.indexOf(Math.max(...parents))];
  await setParameters(engine, isTaken || best === undefined ? merge : best);
  return { deltas, isTaken };
}
