/** Self-play in which a policy proposes tasks and solves them; the environment verifies both. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { group } from "./plain-rollouts.ts";

/** The roles: proposer, solver, and the demonstrator of proposals. */
export const PROPOSER = "proposer";

export const SOLVER = "solver";

export const SHOWN = "shown";

/**
 * `self-play`: the number of proposals per reference, and the number of rollouts for each valid proposal.
 *
 * @param shown demonstrations of proposals; a policy that never saw one proposes no valid task.
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

/** `self-play` with documents: both roles search them; the environment must have documents. */
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
 * `self-play` in which only the proposer reads documents: each proposed task is rolled out by a `group` of
 * the solver.
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
