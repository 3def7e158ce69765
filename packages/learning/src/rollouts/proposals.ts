/** Self-play: a policy proposes tasks and solves them. The environment verifies both. */
import { seededRandom } from "@waggle/protocol";
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RolloutRequirement, RolloutStrategy } from "../composition/rollout-strategy.ts";
import { group } from "./plain-rollouts.ts";
import { many } from "./rollout-part.ts";

/** The role that proposes tasks. */
export const PROPOSER = "proposer";

/** The role that solves the proposed tasks. */
export const SOLVER = "solver";

/** The role of demonstrated proposals. */
export const SHOWN = "shown";

/** Separates the random numbers of proposals and solutions from those of other rollouts. */
const PLACE = 0x9a0;

type ProposalOptions = {
  /** Number of proposals for each task reference. */
  readonly proposals: number;
  /** Number of rollouts of each readable proposal. */
  readonly attempts: number;
  /** Number of demonstrated proposals. */
  readonly shown: number;
  /** The roles that search documents. Default: no role. */
  readonly searches?: "both" | "setter";
};

const FEATURES: {
  readonly [searches in NonNullable<ProposalOptions["searches"]>]: RolloutRequirement;
} = {
  both: "searched-proposals",
  setter: "documented-proposals",
};

/** The policy proposes tasks and solves each. `joint` is the id of the proposal that a rollout belongs to. */
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
 * `self-play`: the policy proposes tasks and solves those that are valid.
 *
 * @param proposals - proposals per task reference, default 4.
 * @param attempts - rollouts of each valid proposal, default 4.
 * @param shown - demonstrated proposals, default 1; a policy that has seen none proposes no valid task.
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

/** `self-play` in which both roles search documents. The environment must have documents. */
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
 * `self-play` in which only the proposer reads documents. The solver rolls out a `group` of each proposed task.
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
