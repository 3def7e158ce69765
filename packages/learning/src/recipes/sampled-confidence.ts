/** How sure a policy was of its answer: the geometric mean probability of its last turn's tokens. Not a recipe. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";

/** In [0, 1]; 0 for a trajectory without a turn. */
export function sampledConfidence({ samples, turns }: JudgedTrajectory): number {
  const last = turns.at(-1);
  const logProbs = last === undefined ? undefined : samples[last.sample]?.behaviorLogProbs;
  if (last === undefined || logProbs === undefined || last.end <= last.start) return 0;
  let sum = 0;
  for (let t = last.start; t < last.end; t += 1) sum += logProbs[t] ?? 0;
  return Math.exp(sum / (last.end - last.start));
}
