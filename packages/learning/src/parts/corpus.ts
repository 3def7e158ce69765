/**
 * Parts of recipes that search documents: trajectories in an environment that has some, and `retrieval`, what
 * finding the right ones is worth.
 */
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { dial, made } from "../composition/making.ts";
import type { RewardPart, RolloutPart } from "../composition/part.ts";
import type { StatePart } from "../composition/state.ts";
import { newlyRetrieved, retrievalReward } from "../rewards/retrieval.ts";

/** The environment's own documents and their index: nothing is opened for them. */
export const ownCorpus: StatePart<"corpus"> = {
  slot: "state",
  part: "corpus",
  initial: () => "environment",
};

/** `size` trajectories from the same start, in an environment whose documents are searched; no other serves. */
export function searchingGroup(size?: number): RolloutPart<"corpus", "group"> {
  return made({ groupSize: dial(size, 8) }, ({ groupSize }) => ({
    ...{ slot: "rollout", part: "group", needs: ["corpus"], start: "group" },
    plan: () => ({ kind: "group", size: groupSize, environments: [{ kind: "searched" }] }),
  }));
}

/**
 * `retrieval`: the share of the documents that the answer stands on which were found, each paid where it
 * was found first; and the share of what was found that is among them, weighed by `precision`.
 */
export function retrieved(precision = 0): RewardPart<"corpus"> {
  return {
    slot: "reward",
    part: "retrieval",
    needs: ["corpus"],
    score: ({ trajectories }) =>
      trajectories.map((trajectory) => {
        const { found, relevant } = documentsOf(trajectory);
        const whole = retrievalReward(found.flat(), relevant);
        const byTurn = newlyRetrieved(found, relevant);
        let search = 0;
        const turnRewards = trajectory.turns.map(({ toolCalls }) => {
          if (toolCalls.length === 0) return 0;
          search += 1;
          return byTurn[search - 1] ?? 0;
        });
        return { reward: whole.recall + precision * whole.precision, turnRewards };
      }),
  };
}

/** Ids that each search found, and those that the answer stands on, as the verifier says. */
function documentsOf({ verification: { parts }, id }: JudgedTrajectory): {
  readonly found: readonly (readonly string[])[];
  readonly relevant: readonly string[];
} {
  const { found, relevant } = parts;
  if (typeof found !== "string" || typeof relevant !== "string") {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the judgement of a rollout must say which documents were found and needed, got none for ${id}; choose an environment with documents: library`,
    );
  }
  const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");
  return { found: found.split("|").map(words), relevant: words(relevant) };
}
