/**
 * The negative control of a learning experiment: advantages dealt to the wrong trajectories keep
 * their distribution and lose their meaning, so a run that still improves has another cause.
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
