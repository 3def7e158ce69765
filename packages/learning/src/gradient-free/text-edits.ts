/** Parts that write text: lessons from compared rollouts, and prompts from reflection. */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { semanticAdvantage, type WriterPort } from "../advantages/semantic-comparison.ts";
import type { PartContext, RewardedGroup } from "../composition/part.ts";
import type { CreditPart, WritingPart } from "../composition/writing.ts";
import {
  editExperiences,
  type ExperienceLibrary,
  experiencesOf,
} from "../states/experience-library.ts";
import {
  addPrompt,
  bestPrompt,
  creditPrompt,
  type PromptPopulation,
  prunePrompts,
} from "../states/prompt-population.ts";
import { isNewPrompt, promptAnswer, type PromptRequest } from "./prompt-writing.ts";
import { readRollout } from "./rollout-text.ts";

/** @throws WaggleError `CAPABILITY_MISSING` without a writer. */
export function writerOf({ ports }: PartContext, part: string): WriterPort {
  if (ports.writer !== undefined) return ports.writer;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `part ${part} needs a writer; pass --writer <url of an OpenAI-compatible server>`,
  );
}

/** `semantic`: a writer compares the rollouts of each group with different rewards. */
export function semantic(): CreditPart<"experience"> {
  return {
    slot: "advantage",
    part: "semantic",
    needs: ["experience"],
    credit: async (groups, context) => {
      const known = experiencesOf(context.state["experience"] as ExperienceLibrary);
      const writer = writerOf(context, "semantic");
      const found = await Promise.all(
        groups.map(async ({ trajectories }) => {
          const rollouts = trajectories.map((rewarded) => readRollout(rewarded, context));
          const { edits } = await semanticAdvantage(
            writer,
            {
              request: rollouts[0]?.request ?? "",
              transcripts: rollouts.map(({ transcript }) => transcript),
              rewards: rollouts.map(({ reward }) => reward),
            },
            known,
            context.signal,
          );
          return edits;
        }),
      );
      return found.flat().map((edit) => ({ kind: "edit", edit }));
    },
  };
}

/** `text-edit` of lessons: applies the edits that comparisons suggested, if possible. */
export function lessonEdits(): WritingPart<"experience"> {
  return {
    slot: "loss",
    part: "text-edit",
    needs: ["experience"],
    asks: true,
    write: (_, credits, { state }) => {
      const edits = credits.flatMap((credit) => (credit.kind === "edit" ? [credit.edit] : []));
      const before = state["experience"] as ExperienceLibrary;
      const { library, refused } = editExperiences(before, edits);
      return {
        state: { experience: library },
        changes: edits.length - refused.length,
        refused: refused.length,
      };
    },
  };
}

type PromptEditOptions = {
  readonly request: PromptRequest;
  /** Number of prompts that stay; the rest are archived. */
  readonly keep: number;
  /** Number of rollouts before a prompt is judged. */
  readonly leastUses: number;
};

/**
 * `text-edit` of prompts: credits prompts with the rewards of their rollouts, archives weak ones and asks the
 * writer for a new one. The answer must be new and readable. While a new prompt is being tried, the writer is not
 * asked.
 */
export function promptEdits({
  request,
  keep,
  leastUses,
}: PromptEditOptions): WritingPart<"prompts"> {
  return {
    slot: "loss",
    part: "text-edit",
    needs: ["prompts"],
    asks: true,
    write: async (groups, _, context) => {
      const rollouts = groups.flatMap(({ trajectories }: RewardedGroup) =>
        trajectories.map((rewarded) => readRollout(rewarded, context)),
      );
      let population = context.state["prompts"] as PromptPopulation;
      for (const { prompt, reward } of rollouts) {
        if (population.living.some(({ id }) => id === prompt)) {
          population = creditPrompt(population, prompt as string, [reward]);
        }
      }
      const archived = population.archive.length;
      population = prunePrompts(population, keep, leastUses);
      const pruned = population.archive.length - archived;
      const isTrying = population.living.some(({ uses }) => uses < leastUses);
      if (isTrying || rollouts.length === 0) {
        return { state: { prompts: population }, changes: pruned };
      }
      const parent = bestPrompt(population).id;
      const ofParent = rollouts.filter(({ prompt }) => prompt === parent);
      const asked = request(population, ofParent.length > 0 ? ofParent : rollouts);
      const answer = promptAnswer(
        await writerOf(context, "text-edit").write(asked, context.signal),
      );
      if (answer === null) {
        return { state: { prompts: population }, changes: pruned, refused: 1 };
      }
      const isNew = isNewPrompt(population, answer.prompt);
      population = addPrompt(population, answer.prompt, parent, isNew, answer.improver);
      return { state: { prompts: population }, changes: pruned + 1, refused: isNew ? 0 : 1 };
    },
  };
}

/**
 * `text-edit` of lessons without a writer: the actions of successful rollouts after similar observations. The
 * oldest lessons are dropped.
 */
export function stepLessons(most?: number): WritingPart<"experience"> {
  return definePart({ stepLessonsMost: option(most, 8) }, ({ stepLessonsMost: most }) => ({
    slot: "loss",
    part: "text-edit",
    needs: ["experience"],
    asks: false,
    write: (groups, _, { state }) => {
      let library = state["experience"] as ExperienceLibrary;
      const texts = groups
        .flatMap(({ trajectories }) => trajectories)
        .filter(({ trajectory }) => trajectory.verification.success)
        .flatMap(({ trajectory: { turns } }) =>
          turns.flatMap(({ toolCalls }, i) => {
            const [call] = toolCalls;
            const [seen] = turns[i - 1]?.toolResults ?? [];
            if (call === undefined || seen === undefined) return [];
            const after = JSON.stringify(seen.ok ? seen.value : seen.error.message);
            return [
              `After ${after} it helped to call ${call.name}(${JSON.stringify(call.arguments)})`,
            ];
          }),
        );
      const fresh = [...new Set(texts)].slice(0, most);
      const known = experiencesOf(library);
      const room = library.limits.entries - known.length;
      const leaving = known.slice(0, Math.max(0, fresh.length - room));
      const edited = editExperiences(library, [
        ...leaving.map(({ id }) => ({ edit: "delete", id }) as const),
        ...fresh.map(
          (text) => ({ edit: "add", text: text.slice(0, library.limits.characters) }) as const,
        ),
      ]);
      library = edited.library;
      return { state: { experience: library }, changes: fresh.length - edited.refused.length };
    },
  }));
}
