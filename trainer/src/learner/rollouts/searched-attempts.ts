/** Attempts that go on from each other: a search over the turns of a task, and what a stored step was worth. */
import type { Episode, EpisodeGroup, RolloutPlan } from "@waggle/learning";
import type { AttemptOptions } from "./family-attempt.ts";
import { nameOf, taskOf } from "./task-names.ts";

/** Whole, or from a turn of another. */
export type BegunAttempt = Pick<AttemptOptions, "from"> & Pick<Episode, "branch">;
type Attempt = (begun: BegunAttempt) => Promise<Episode>;

/** One after another: where each begins depends on what came of those before. */
export async function searchedAttempts(
  { size, next }: Extract<RolloutPlan, { kind: "tree" }>,
  task: string,
  stored: readonly Episode[],
  attempt: (nth: number) => Attempt,
): Promise<Episode[]> {
  const episodes: Episode[] = [];
  while (episodes.length < size) {
    const place = next(task, episodes);
    const root =
      episodes.find(({ id }) => id === place?.attempt) ??
      stored.find(({ id }) => id === place?.attempt);
    episodes.push(await attempt(episodes.length)(begun(root ?? null, place?.turns ?? 0)));
  }
  return episodes;
}

/**
 * A stored episode, the policy's own way from one of its turns, and `continuations` attempts after the step
 * that each took there. Nothing is gone on from where a step ended the task.
 */
export async function stepReplays(
  stored: Episode,
  turn: number,
  continuations: number,
  attempt: (nth: number) => Attempt,
): Promise<EpisodeGroup> {
  const own = await attempt(0)(begun(stored, turn));
  const after = [stored, own].flatMap((root) =>
    turn + 1 < root.record.turns.length ? Array<Episode>(continuations).fill(root) : [],
  );
  const more = await Promise.all(after.map((root, i) => attempt(i + 1)(begun(root, turn + 1))));
  return {
    task: `${nameOf(taskOf(stored))}/${stored.id}/${turn}`,
    episodes: [{ ...stored, role: "expert" }, own, ...more],
  };
}

function begun(root: Episode | null, turns: number): BegunAttempt {
  if (root === null || turns === 0) return { branch: null };
  return {
    from: { trajectory: root.record, turns },
    branch: { episode: root.id, turn: turns },
  };
}
