/** Similarity to the nearest of several reference solutions. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { REFERENCE } from "../rollouts/several-references.ts";
import { bestOverReferences, exactMatch, tokenF1 } from "./answer-match.ts";

/**
 * `multi-ref`: the best match over successful references; one half for the last turn, one half for the turns
 * before it, token by token. 0 without a successful reference.
 */
export function multiReference(): RewardPart {
  return {
    slot: "reward",
    part: "multi-ref",
    needs: [],
    rewards: ({ trajectories }) => {
      const references = trajectories.filter(
        ({ role, verification }) => role === REFERENCE && verification.success,
      );
      return trajectories.map((trajectory) => ({
        total:
          references.length === 0
            ? 0
            : bestOverReferences(references, (reference) => likeness(trajectory, reference)),
      }));
    },
  };
}

function likeness(trajectory: JudgedTrajectory, reference: JudgedTrajectory): number {
  const [own, other] = [turnTexts(trajectory), turnTexts(reference)];
  const end = exactMatch(own.at(-1) ?? "", other.at(-1) ?? "");
  return 0.5 * end + 0.5 * tokenF1(own.slice(0, -1).join(" "), other.slice(0, -1).join(" "));
}

/** `[turns]` texts as token ids. */
function turnTexts({ turns, samples }: JudgedTrajectory): string[] {
  return turns.map(({ sample, start, end }) =>
    (samples[sample]?.sequence.tokenIds ?? []).slice(start, end).join(" "),
  );
}
