/** Groups with reference solutions beside them, which may differ and be equally right. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { fixed, made } from "../composition/making.ts";
import type { FilterPart, RewardPart, RolloutPart } from "../composition/part.ts";
import { selectBy } from "../filters/selection.ts";
import { bestOverReferences, exactMatch, tokenF1 } from "../rewards/answer-match.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";

/** The role of a demonstration that rollouts are compared with. */
const REFERENCE = "reference";

/**
 * `group`: `size` rollouts of the policy, and as many demonstrations as there are demonstrators in the
 * role `reference`. A demonstrator is how often it errs: those that do reach the end by other ways.
 */
export function referencedGroup(
  size: number,
  demonstrators: readonly number[],
): RolloutPart<never, "group"> {
  return made({ groupSize: fixed(size) }, () => ({
    ...{ slot: "rollout", part: "group", needs: [], start: "group" },
    plan: () => ({
      ...{ kind: "demos", size: demonstrators.length, mistakes: demonstrators, students: size },
      names: demonstrators.map(() => REFERENCE),
    }),
  }));
}

/**
 * `multi-ref`: the best match over the references that succeeded: half for how the rollout ends, half for
 * what it did on the way, token by token. 0 where no reference succeeded.
 */
export function multiReference(): RewardPart {
  return {
    ...{ slot: "reward", part: "multi-ref", needs: [] },
    score: ({ trajectories }) => {
      const references = trajectories.filter(
        ({ role, verification }) => role === REFERENCE && verification.success,
      );
      return trajectories.map((trajectory) => ({
        reward:
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

/** `[turns]` what was said, as token ids. */
function turnTexts({ turns, samples }: JudgedTrajectory): string[] {
  return turns.map(({ sample, start, end }) =>
    (samples[sample]?.sequence.tokenIds ?? []).slice(start, end).join(" "),
  );
}

/** What they are compared with is not learned from. */
export function withoutReferences(): FilterPart {
  return filterPart("own-trajectories", (groups) =>
    keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (trajectory.role === REFERENCE ? "for-comparison" : null)),
    ),
  );
}
