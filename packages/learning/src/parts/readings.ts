/** State parts that rollouts are given to read: a population of prompts, lessons, cases. */
import { kept, type StatePart } from "../composition/state.ts";
import { drawWeighted } from "../draw.ts";
import { caseFeatures, caseValues, choiceChances } from "../states/case-policy.ts";
import { type CaseStore, caseStore } from "../states/case-store.ts";
import {
  experienceLibrary,
  type ExperienceLibrary,
  experiencesOf,
} from "../states/experience-library.ts";
import {
  bestPrompt,
  choosePrompt,
  drawPrompt,
  promptPopulation,
  type PromptPopulation,
} from "../states/prompt-population.ts";
import { wordOverlap } from "../states/words.ts";

/**
 * `prompts`: instructions, each credited with what ran under it. `bounds` tries untried ones first and
 * then the upper confidence bounds, `soft` draws by softmax of the means at this temperature.
 */
export function prompts(
  seeds: readonly string[],
  choose: { readonly by: "bounds" } | { readonly by: "soft"; readonly temperature: number } = {
    by: "bounds",
  },
): StatePart<"prompts"> {
  return {
    ...kept("prompts", () => promptPopulation(seeds)),
    read: (value, { at, explores, random }) => {
      if (at !== "start") return null;
      const population = value as PromptPopulation;
      const { id, text } = !explores
        ? bestPrompt(population)
        : choose.by === "bounds"
          ? choosePrompt(population)
          : drawPrompt(population, random, choose.temperature);
      return { ids: [id], parts: { prompt: text } };
    },
  };
}

/**
 * `experience`: lessons. `whole`: all of them before the task; `by-step`: those most like the request,
 * and after each turn those most like what came of it; `none`: somebody else reads them.
 */
export function experience(
  read: "whole" | "by-step" | "none" = "whole",
  {
    limits,
    most = 2,
  }: {
    readonly limits?: ExperienceLibrary["limits"];
    /** Lessons at once, where they are fetched by step. */
    readonly most?: number;
  } = {},
): StatePart<"experience"> {
  const part = kept("experience", () => experienceLibrary(limits));
  if (read === "none") return part;
  return {
    ...part,
    read: (value, { situation, at }) => {
      const entries = experiencesOf(value as ExperienceLibrary);
      if (read === "whole" && at !== "start") return null;
      const given =
        read === "whole"
          ? entries
          : entries
              .map((entry) => ({ entry, likeness: wordOverlap(entry.text, situation).likeness }))
              .filter(({ likeness }) => likeness > 0)
              .toSorted((a, b) => b.likeness - a.likeness)
              .slice(0, most)
              .map(({ entry }) => entry);
      return given.length === 0
        ? null
        : { ids: given.map(({ id }) => id), parts: { lessons: given.map(({ text }) => text) } };
    },
  };
}

/** `cases`: past rollouts; which one is read is what is learned. */
export function cases({
  temperature,
  stage,
}: {
  /** Of the choice, in units of reward. */
  readonly temperature?: number;
  /** Whose values count, where stages value the same case differently. */
  readonly stage?: string;
} = {}): StatePart<"cases"> {
  return {
    ...kept("cases", () => caseStore(temperature)),
    read: (value, { at, situation, random }) => {
      const { memory, policy } = value as CaseStore;
      if (at !== "start" || memory.cases.length === 0) return null;
      const features = memory.cases.map((entry) => caseFeatures(entry, situation, stage));
      const values = caseValues(policy, features);
      // Drawn softly in evaluations too: that is the policy that was learned.
      const [drawn] = drawWeighted(choiceChances(values, policy.temperature), 1, random);
      const chosen = memory.cases[drawn ?? 0];
      return chosen === undefined ? null : { ids: [chosen.id], parts: { cases: [chosen] } };
    },
  };
}
