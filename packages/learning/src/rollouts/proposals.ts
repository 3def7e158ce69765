/** Self-play in which a policy sets tasks and solves them. The environment checks tasks and answers. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { group } from "./plain-rollouts.ts";

/** The roles of both, and of who shows how tasks are set. */
export const PROPOSER = "proposer";

export const SOLVER = "solver";

export const SHOWN = "shown";

/**
 * `self-play`: so many tasks are set for each reference, and each that can be read is tried so often.
 *
 * @param shown demonstrations of how a task is set: a policy that never saw it done sets none.
 */
export function setAndSolve(
  proposals?: number,
  attempts?: number,
  shown?: number,
): RolloutPart<never, "group"> {
  return definePart(
    {
      setAndSolveProposals: option(proposals, 4),
      setAndSolveAttempts: option(attempts, 4),
      setAndSolveShown: option(shown, 1),
    },
    ({
      setAndSolveProposals: proposals,
      setAndSolveAttempts: attempts,
      setAndSolveShown: shown,
    }) => ({
      slot: "rollout",
      part: "self-play",
      needs: [],
      start: "group",
      plan: () => ({ kind: "proposals", proposals, attempts, shown }),
    }),
  );
}

/** `self-play` about documents: both search them, and no environment without any serves. */
export function searchAndSolve(
  proposals?: number,
  attempts?: number,
  shown?: number,
): RolloutPart<"corpus", "group"> {
  return definePart(
    {
      searchAndSolveProposals: option(proposals, 4),
      searchAndSolveAttempts: option(attempts, 4),
      searchAndSolveShown: option(shown, 1),
    },
    ({
      searchAndSolveProposals: proposals,
      searchAndSolveAttempts: attempts,
      searchAndSolveShown: shown,
    }) => ({
      slot: "rollout",
      part: "self-play",
      needs: ["corpus"],
      start: "group",
      plan: () => ({ kind: "proposals", proposals, attempts, shown, searches: "both" }),
    }),
  );
}

/**
 * `self-play` with a setter who reads documents and a solver who never sees them: each task is tried by a
 * `group` of rollouts.
 */
export function readAndSolve(
  proposals?: number,
  attempts?: number,
  shown?: number,
): RolloutPart<"corpus", "group"> {
  return definePart(
    {
      readAndSolveProposals: option(proposals, 4),
      readAndSolveAttempts: option(attempts, 4),
      readAndSolveShown: option(shown, 1),
    },
    ({
      readAndSolveProposals: proposals,
      readAndSolveAttempts: attempts,
      readAndSolveShown: shown,
    }) => ({
      slot: "rollout",
      part: "self-play",
      needs: ["corpus"],
      start: "group",
      plan: () => ({ kind: "proposals", proposals, attempts, shown, searches: "setter" }),
      around: [group(attempts)],
    }),
  );
}
