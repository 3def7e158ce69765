/** Repeats an evaluation with other random draws, for pass@k of `@waggle/evaluation`. */

/** The k of the evidence pages. */
export const PASS_DRAWS = 8;

/**
 * `[draws][tasks]` successes.
 *
 * @param rollout - successes of the draw with this index; each draw has the same tasks
 */
export async function successesByDraw(
  draws: number,
  rollout: (draw: number) => Promise<readonly boolean[]>,
): Promise<(readonly boolean[])[]> {
  const found: (readonly boolean[])[] = [];
  for (let draw = 0; draw < draws; draw += 1) found.push(await rollout(draw));
  return found;
}
