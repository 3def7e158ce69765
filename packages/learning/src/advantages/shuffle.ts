/**
 * The negative control of a learning experiment: advantages assigned to the wrong trajectories keep their
 * distribution and carry no information. If a run still improves, it has another cause.
 */

/** A Fisher–Yates permutation of a copy. `random` yields [0, 1). */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const copy = [...values];
  for (let i = copy.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
