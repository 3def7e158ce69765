/**
 * Composes one rollout from the rollouts of a search: a failure up to its error, the way back, and a better
 * continuation. Selects the turns and their order; the trainer builds the text.
 *
 * Sources: Yuan et al. 2025, "Agent-R", arXiv:2501.11425 (a revision is spliced in at the first error); Yu
 * et al. 2024, "Improving Autonomous AI Agents with Reflective Tree Search and Self-Learning",
 * arXiv:2410.02052 (a search is linearized).
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";

/** A rollout at one task; equal actions in a state lead to the same state. */
export type ToldRollout = {
  readonly id: string;
  /** `[turns]` */
  readonly actions: readonly string[];
  /** Number of its first turns that can be undone; a final answer cannot. */
  readonly revocable: number;
  readonly isSuccess: boolean;
};

/** Turns `[from, to)` of a rollout, starting in the state after its first `from` turns. */
export type Piece = { readonly rollout: string; readonly from: number; readonly to: number };

/** Pieces of rollouts that form one rollout, with a sentence at each change to the next piece. */
export type Retelling = { readonly pieces: readonly Piece[]; readonly transition: string };

/** Retells a group of trajectories as one text to learn from; `null` if there is nothing to retell. */
export type Retells = (trajectories: readonly JudgedTrajectory[]) => Retelling | null;

/**
 * A failure up to and including the first turn that differs from a success, then the success from there.
 * Chooses the pair with the longest common prefix; `null` if there is none whose turn can be undone.
 */
export function spliced(rollouts: readonly ToldRollout[]): Piece[] | null {
  let best: { readonly shared: number; readonly pieces: Piece[] } | null = null;
  for (const bad of rollouts.filter(({ isSuccess }) => !isSuccess)) {
    for (const good of rollouts.filter(({ isSuccess }) => isSuccess)) {
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
 * Up to `most` failures in order, then the shortest success. Each failure starts where it leaves the turns told so
 * far, and ends at its last turn that can be undone. `null` without a success or without a failure before it.
 */
export function linearized(rollouts: readonly ToldRollout[], most: number): Piece[] | null {
  const [goal] = rollouts
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
  for (const failure of rollouts.filter(({ isSuccess }) => !isSuccess)) {
    if (pieces.length < most) tell(failure, failure.revocable);
  }
  const failures = pieces.length;
  tell(goal, goal.actions.length);
  return failures === 0 || pieces.length === failures ? null : pieces;
}

/** Number of common first turns of two rollouts. */
function sharedTurns(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < length && a[shared] === b[shared]) shared += 1;
  return shared;
}
