/** `similarity`: likeness of what an episode did to what a reference episode of its group did, in order. */
import { WaggleError } from "@waggle/protocol";
import type { Episode } from "../composition/episode.ts";
import type { RewardPart } from "../composition/part.ts";
import { sequenceSimilarity } from "../rewards/similarity.ts";

/** Calls as words, and the last words: what is compared. */
function deedsOf({ turns }: Episode): string[] {
  return turns.flatMap(({ toolCalls }) =>
    toolCalls.length === 0
      ? ["(answer)"]
      : toolCalls.map((call) => JSON.stringify([call.name, call.arguments])),
  );
}

/**
 * The best likeness to the references of the group.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a group without a reference.
 */
export function likeReference(): RewardPart {
  return {
    slot: "reward",
    part: "similarity",
    needs: [],
    score: ({ task, episodes }) => {
      const references = episodes.filter(({ role }) => role === "reference").map(deedsOf);
      if (references.length === 0) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `reward similarity needs a reference in each group, got none for ${task}; roll out with references`,
        );
      }
      return episodes.map((episode) => {
        const deeds = deedsOf(episode);
        const likeness = references.map((reference) => sequenceSimilarity(deeds, reference));
        return { reward: Math.max(...likeness) };
      });
    },
  };
}
