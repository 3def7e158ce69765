/**
 * `retrieval`: rewards relevant documents that were found or cited. Not grounding: whether a claim follows
 * from them is judged elsewhere.
 *
 * Source: Deep-DxSearch (retrieval reward), MC-Search.
 */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { requireInside } from "../statistics.ts";

/** Recall and precision of a search. */
export type RetrievalReward = {
  /** Share of the relevant documents that were retrieved. */
  readonly recall: number;
  /** Share of the retrieved documents that are relevant; 1 if nothing was retrieved. */
  readonly precision: number;
};

/** Over distinct ids. `relevant` must not be empty. */
export function retrievalReward(
  retrieved: readonly string[],
  relevant: readonly string[],
): RetrievalReward {
  const found = new Set(retrieved);
  const wanted = new Set(relevant);
  requireInside("number of relevant documents", wanted.size, 1, Number.MAX_SAFE_INTEGER);
  const hits = [...wanted].filter((id) => found.has(id)).length;
  return { recall: hits / wanted.size, precision: found.size === 0 ? 1 : hits / found.size };
}

/** `[turns]` share of the relevant documents that each turn was the first to find. */
export function newlyRetrieved(
  retrievedByTurn: readonly (readonly string[])[],
  relevant: readonly string[],
): number[] {
  const left = new Set(relevant);
  const total = left.size;
  requireInside("number of relevant documents", total, 1, Number.MAX_SAFE_INTEGER);
  return retrievedByTurn.map((ids) => ids.filter((id) => left.delete(id)).length / total);
}

/**
 * `retrieval`: recall of the documents that the answer needs, each credited to the turn that found it first,
 * plus `precision` times the precision.
 */
export function retrieved(precision?: number): RewardPart<"corpus"> {
  return definePart(
    { retrievedPrecision: option(precision, 0) },
    ({ retrievedPrecision: precision }) => ({
      slot: "reward",
      part: "retrieval",
      needs: ["corpus"],
      rewards: ({ trajectories }) =>
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
          return { total: whole.recall + precision * whole.precision, turnRewards };
        }),
    }),
  );
}

/** Ids that each search found, and ids that the answer needs, from the verification. */
function documentsOf({ verification: { parts }, id }: JudgedTrajectory): {
  readonly found: readonly (readonly string[])[];
  readonly relevant: readonly string[];
} {
  const { found, relevant } = parts;
  if (typeof found !== "string" || typeof relevant !== "string") {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the verification of trajectory ${id} does not list the documents found and needed; choose an environment with documents, such as library`,
    );
  }
  const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");
  return { found: found.split("|").map(words), relevant: words(relevant) };
}
