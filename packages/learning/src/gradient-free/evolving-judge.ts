/**
 * A judge with a learned rubric: the rubric is a library of lessons, edited when the judge orders two rollouts
 * differently from the verifier.
 *
 * Source: RewardHarness. Differs from it: the few known preferences come from the verifier's judgment of the first
 * tasks.
 */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { semanticAdvantage } from "../advantages/semantic-comparison.ts";
import type { RewardPart } from "../composition/part.ts";
import type { WritingPart } from "../composition/writing.ts";
import { judgedReward } from "../rewards/judge-port.ts";
import {
  editExperiences,
  type ExperienceLibrary,
  experiencesOf,
  experienceText,
} from "../states/experience-library.ts";
import { readRollout, textOf } from "./rollout-text.ts";
import { writerOf } from "./text-edits.ts";

/** `judge`: the judge's reward with the rubric of the library. */
export function judgeByLessons(): RewardPart<"judge" | "experience"> {
  return {
    slot: "reward",
    part: "judge",
    needs: ["judge", "experience"],
    rewards: async ({ trajectories }, context) => {
      const { judge } = context.ports;
      if (judge === undefined) {
        throw new WaggleError(
          "CAPABILITY_MISSING",
          "reward judge needs a judge; configure one or choose another recipe",
        );
      }
      const rubric = experienceText(context.state["experience"] as ExperienceLibrary);
      const rewards = trajectories.map((trajectory) =>
        judgedReward(judge, { ...textOf(trajectory, context), rubric }, context.signal),
      );
      return (await Promise.all(rewards)).map((total) => ({ total }));
    },
  };
}

/** `text-edit` of the rubric: the writer sees groups that judge and verifier order differently. */
export function rubricEdits(groupsKnown?: number): WritingPart<"experience"> {
  return definePart({ groupsKnown: option(groupsKnown, 2) }, ({ groupsKnown }) => ({
    slot: "loss",
    part: "text-edit",
    needs: ["experience"],
    asks: true,
    write: async (groups, _, context) => {
      const writer = writerOf(context, "text-edit");
      let library = context.state["experience"] as ExperienceLibrary;
      let changes = 0;
      const wrong = groups.filter(({ trajectories }) =>
        trajectories.some((a) =>
          trajectories.some(
            (b) =>
              a.trajectory.verification.reward > b.trajectory.verification.reward &&
              a.reward.total <= b.reward.total,
          ),
        ),
      );
      for (const { trajectories } of wrong.slice(0, groupsKnown)) {
        const rollouts = trajectories.map((rewarded) => readRollout(rewarded, context));
        const { edits } = await semanticAdvantage(
          writer,
          {
            request: `Judge attempts at: ${rollouts[0]?.request ?? ""}`,
            transcripts: rollouts.map(
              ({ transcript, reward }) => `judged ${reward}\n${transcript}`,
            ),
            rewards: trajectories.map(({ trajectory }) => trajectory.verification.reward),
          },
          experiencesOf(library),
          context.signal,
        );
        const edited = editExperiences(library, edits);
        library = edited.library;
        changes += edits.length - edited.refused.length;
      }
      return { state: { experience: library }, changes };
    },
  }));
}
