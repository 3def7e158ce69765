/**
 * What a search found, told as one rollout: tried, seen to be wrong, gone back, tried otherwise. Says which
 * turns of which rollouts follow each other; nothing here speaks or acts.
 *
 * Sources: Yuan et al. 2025, "Agent-R", arXiv:2501.11425 (a revision is spliced in at the first error); Yu
 * et al. 2024, "Improving Autonomous AI Agents with Reflective Tree Search and Self-Learning",
 * arXiv:2410.02052 (a search is linearized).
 */

/** A rollout at one task; equal actions in one state lead to one state. */
export type ToldRollout = {
  readonly id: string;
  /** `[turns]` */
  readonly actions: readonly string[];
  /** So many of its first turns can be taken back: what ends a task, as an answer does, cannot. */
  readonly revocable: number;
  readonly isSuccess: boolean;
};

/** Turns `[from, to)` of a rollout, begun in the state that its turns before `from` lead to. */
export type Piece = { readonly rollout: string; readonly from: number; readonly to: number };

/**
 * A failure up to and with its first turn that a success did otherwise, then the success from there; of all
 * such couples the one that shares most. `null` where there is none whose turn can be taken back.
 */
export function spliced(attempts: readonly ToldRollout[]): Piece[] | null {
  let best: { readonly shared: number; readonly pieces: Piece[] } | null = null;
  for (const bad of attempts.filter(({ isSuccess }) => !isSuccess)) {
    for (const good of attempts.filter(({ isSuccess }) => isSuccess)) {
      const shared = sharedTurns(bad.actions, good.actions);
      if (shared >= bad.revocable || shared >= good.actions.length) continue;
      if (best !== null && best.shared >= shared) continue;
      best = {
        shared,
        pieces: [
          { rollout: bad.id, from: 0, to: shared + 1 },
          { rollout: good.id, from: shared, to: good.actions.length },
        ],
      };
    }
  }
  return best?.pieces ?? null;
}

/**
 * Up to `most` failures in their order, each from where it left what was told before and as far as it can be
 * taken back, then the shortest success. `null` without a success, or where nothing failed first.
 */
export function linearized(attempts: readonly ToldRollout[], most: number): Piece[] | null {
  const [goal] = attempts
    .filter(({ isSuccess }) => isSuccess)
    .toSorted((a, b) => a.actions.length - b.actions.length);
  if (goal === undefined) return null;
  const told: (readonly string[])[] = [];
  const pieces: Piece[] = [];
  const tell = ({ id, actions }: ToldRollout, to: number): void => {
    const from = Math.max(0, ...told.map((earlier) => sharedTurns(earlier, actions)));
    if (from >= to) return;
    told.push(actions.slice(0, to));
    pieces.push({ rollout: id, from, to });
  };
  for (const failure of attempts.filter(({ isSuccess }) => !isSuccess)) {
    if (pieces.length < most) tell(failure, failure.revocable);
  }
  const failures = pieces.length;
  tell(goal, goal.actions.length);
  return failures === 0 || pieces.length === failures ? null : pieces;
}

/** Turns that two rollouts begin with alike. */
function sharedTurns(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < length && a[shared] === b[shared]) shared += 1;
  return shared;
}
