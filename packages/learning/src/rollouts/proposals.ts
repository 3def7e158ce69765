/** Self-play in which a policy proposes tasks and solves them; the environment verifies both. */
import { seededRandom } from "@waggle/protocol";
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RolloutRequirement, RolloutStrategy } from "../composition/rollout-strategy.ts";
import { group } from "./plain-rollouts.ts";
import { many } from "./rollout-part.ts";

/** The roles: proposer, solver, and the demonstrator of proposals. */
export const PROPOSER = "proposer";

export const SOLVER = "solver";

export const SHOWN = "shown";

/** Sets the draws of proposals and solutions apart from those of other rollouts. */
const PLACE = 0x9a0;

type ProposalOptions = {
  /** Proposals for each reference. */
  readonly proposals: number;
  /** Rollouts at each proposal that can be read. */
  readonly attempts: number;
  /** Demonstrations of proposals. */
  readonly shown: number;
  /** Who searches documents, in an environment that has some; default nobody. */
  readonly searches?: "both" | "setter";
};

const FEATURES: {
  readonly [searches in NonNullable<ProposalOptions["searches"]>]: RolloutRequirement;
} = {
  both: "searched-proposals",
  setter: "documented-proposals",
};

/** The policy proposes tasks and tries each; `joint`, the id of the proposal, links rollouts to it. */
function proposalStrategy(options: ProposalOptions): RolloutStrategy {
  const { proposals, attempts, shown, searches } = options;
  const form = searches === "setter" ? "documented-proposal" : "proposal";
  const searching = { environment: { kind: "searched" } } as const;
  const solving = { role: SOLVER, ...(searches === "both" ? searching : {}) };
  const setting = { role: PROPOSER, form, ...(searches === undefined ? {} : searching) } as const;
  return {
    name: "proposals",
    options,
    requires: searches === undefined ? "proposals" : FEATURES[searches],
    rollOut: (driver) =>
      driver.byTask(async (task, at) => {
        const run = async (i: number): Promise<JudgedTrajectory[]> => {
          const set = await driver.rollOut(task, [at, i, PLACE], setting);
          const solve = driver.solver(set, task, form);
          if (solve === null) return [set];
          const tries = Array.from({ length: attempts }, async (_, k) => {
            const tried = await solve([at, i, k, PLACE], solving);
            return { ...tried, joint: set.id };
          });
          return [set, ...(await Promise.all(tries))];
        };
        const set = (await Promise.all(Array.from({ length: proposals }, (_, i) => run(i)))).flat();
        const examples = await many(shown, (i) =>
          driver.demonstrate(task, {
            form,
            random: seededRandom(driver.seed, at, i, 0x54),
            role: SHOWN,
          }),
        );
        return [...set, ...examples];
      }),
  };
}

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
      strategy: () => proposalStrategy({ proposals, attempts, shown }),
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
      strategy: () => proposalStrategy({ proposals, attempts, shown, searches: "both" }),
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
      strategy: () => proposalStrategy({ proposals, attempts, shown, searches: "setter" }),
      around: [group(attempts)],
    }),
  );
}
