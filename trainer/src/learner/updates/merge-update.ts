/**
 * Carries a merging stage out: every member learns from the same start, moments included, and what they
 * changed becomes one model. Adapters are merged factor by factor. How a member learns is the caller's.
 */
import type { Stage } from "@waggle/learning";
import { taskVector } from "@waggle/learning/merging";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { setParameters } from "./engine-parameters.ts";

/** @returns what each member changed; the engine holds the merged model. */
export async function mergeMembers(
  engine: TrainEngine,
  { members, how }: NonNullable<Stage["merging"]>,
  learn: (stages: readonly Stage[]) => Promise<unknown>,
  random: () => number,
): Promise<readonly TensorMap[]> {
  const start = await engine.save();
  const base = await engine.parameters();
  const deltas: TensorMap[] = [];
  for (const stages of members) {
    await engine.load(start);
    await learn(stages);
    deltas.push(taskVector(await engine.parameters(), base));
  }
  await engine.load(start);
  await setParameters(engine, how.merge(base, deltas, { random }));
  return deltas;
}
