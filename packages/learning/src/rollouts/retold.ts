/**
 * Retells a search as one rollout to imitate: a failure with its correction, or the whole search in order. Defines
 * the content and the turns that are learned; the trainer builds the rollout.
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart, RolloutPart } from "../composition/part.ts";
import { filterPart } from "../filters/filter-part.ts";
import { editExperiences, type ExperienceLibrary } from "../states/experience-library.ts";
import { demonstrationStrategy } from "./demonstrations.ts";
import { linearized, type Retells, spliced, type ToldRollout } from "./retelling.ts";
import { searchedRollout } from "./tree-search.ts";

function told(trajectory: JudgedTrajectory): ToldRollout {
  const { id, actions } = searchedRollout(trajectory);
  const answer = trajectory.turns.findIndex(({ toolCalls }) => toolCalls.length === 0);
  const revocable = answer < 0 ? actions.length : answer;
  return { id, actions, revocable, isSuccess: trajectory.verification.success };
}

/** A failure up to its first error, then a sentence, then the action of the success. */
export function revision(transition: string): Retells {
  return (trajectories) => {
    const pieces = spliced(trajectories.map(told));
    return pieces === null ? null : { pieces, transition };
  };
}

/** Up to `most` failures in the order of the search, with a sentence where each is abandoned, then a success. */
export function traversal(transition: string, most: number): Retells {
  return (trajectories) => {
    const pieces = linearized(trajectories.map(told), most);
    return pieces === null ? null : { pieces, transition };
  };
}

/** `demos`: `size` of each task, plus one retold rollout composed from them. */
export function retoldDemos(
  size: number,
  mistakes: number,
  retells: Retells,
): RolloutPart<never, "group"> {
  return {
    slot: "rollout",
    part: "demos",
    start: "group",
    needs: [],
    strategy: () => demonstrationStrategy({ size, mistakes, retells }),
  };
}

/**
 * Writes lessons from retold rollouts to `experience`: the abandoned action and its replacement. The oldest
 * lessons are dropped first.
 */
export function contrasted(): FilterPart<"experience"> {
  return filterPart(
    "contrasted",
    (groups, { state }) => {
      const lessons = groups.flatMap(({ trajectories }) => {
        const pieces = spliced(trajectories.map(({ trajectory }) => told(trajectory))) ?? [];
        const [bad, good] = pieces.map(({ rollout, to, from }, i) => {
          const { trajectory } = trajectories.find((one) => one.trajectory.id === rollout) ?? {};
          return trajectory?.turns[i === 0 ? to - 1 : from];
        });
        if (bad === undefined || good === undefined) return [];
        return [`Not ${doneIn(bad)}, but ${doneIn(good)}.`];
      });
      return {
        groups,
        dropped: new Map(),
        state: { experience: withLessons(state.experience as ExperienceLibrary, lessons) },
      };
    },
    { needs: ["experience"] },
  );
}

function doneIn({ toolCalls }: JudgedTrajectory["turns"][number]): string {
  if (toolCalls.length === 0) return "an answer yet";
  return toolCalls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`).join(" and ");
}

function withLessons(library: ExperienceLibrary, lessons: readonly string[]): ExperienceLibrary {
  let edited = library;
  for (const text of lessons.filter(({ length }) => length <= library.limits.characters)) {
    const entries = edited.versions.at(-1) ?? [];
    const [oldest] = entries.length >= edited.limits.entries ? entries : [];
    edited = editExperiences(edited, [
      ...(oldest === undefined ? [] : [{ edit: "delete", id: oldest.id } as const]),
      { edit: "add", text },
    ]).library;
  }
  return edited;
}
