/**
 * Runs a merging stage. Every member trains from the same parameters and moments. Their changes are
 * merged into one model or, with a gate, the best member may be kept instead. LoRA adapters are merged
 * factor by factor. The caller trains and evaluates the members.
 */
import { chosenMerge, taskVector, withTaskVectors } from "@waggle/learning";
import type { Stage } from "@waggle/learning";
import type { EngineCheckpoint, TensorMap, TrainEngine } from "@waggle/protocol";
import { setParameters } from "./engine-parameters.ts";

type Merging = NonNullable<Stage["merging"]>;

/** A merge while one of its members is trained. */
export type MergeProgress = {
  /** The engine's checkpoint from which every member starts. */
  readonly start: EngineCheckpoint;
  readonly base: TensorMap;
  /** Changes of the members that are trained. */
  readonly deltas: readonly TensorMap[];
};

/** The caller's training and evaluation of a member. */
export type MergeHost = {
  /** Trains the engine's current parameters. */
  readonly learn: (stages: readonly Stage[], progress: MergeProgress) => Promise<unknown>;
  /** Share of the gate's tasks that the engine's current parameters solve. */
  readonly evaluate: (gate: NonNullable<Merging["gate"]>) => Promise<number>;
  readonly random: () => number;
};

/** The result of a merge. */
export type Merged = {
  /** The change of each member's parameters. */
  readonly deltas: readonly TensorMap[];
  /** False if the gate kept a member; the engine has the chosen parameters. */
  readonly isTaken: boolean;
};

/**
 * Trains the members and leaves the merge, or the member that the gate chose, in the engine.
 *
 * @param from - progress of an earlier process; the engine has the state of the member in training.
 */
export async function mergeMembers(
  engine: TrainEngine,
  { members, how, gate }: Merging,
  { learn, evaluate, random }: MergeHost,
  from: MergeProgress | null = null,
): Promise<Merged> {
  const start = from?.start ?? (await engine.save());
  const base = from?.base ?? (await engine.parameters());
  const deltas = [...(from?.deltas ?? [])];
  for (const stages of members.slice(deltas.length)) {
    const isResumed = from !== null && deltas.length === from.deltas.length;
    if (!isResumed) await engine.load(start);
    await learn(stages, { start, base, deltas: [...deltas] });
    deltas.push(taskVector(await engine.parameters(), base));
  }
  await engine.load(start);
  const merge = how.merge(base, deltas, { random });
  if (gate === undefined) {
    await setParameters(engine, merge);
    return { deltas, isTaken: true };
  }
  const models = deltas.map((delta) => withTaskVectors(base, [delta], 1));
  const rates: number[] = [];
  for (const candidate of [...models, merge]) {
    await setParameters(engine, candidate);
    rates.push(await evaluate(gate));
  }
  const parents = rates.slice(0, -1);
  const isTaken = chosenMerge({ parents, merges: rates.slice(-1) }) !== null;
  const best = models[parents.indexOf(Math.max(...parents))];
  await setParameters(engine, isTaken || best === undefined ? merge : best);
  return { deltas, isTaken };
}
