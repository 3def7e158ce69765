/**
 * Learned state as an artefact, and the artefact as something to read. The best prompt, the lessons and the
 * cases of a run go in; a page or a replay reads them as the run did, without exploring.
 */
import { type Guidance, WaggleError } from "@waggle/protocol";
import { drawWeighted } from "../draw.ts";
import { caseFeatures, casePolicy, caseValues, choiceChances } from "./case-policy.ts";
import type { CaseStore } from "./case-store.ts";
import { type ExperienceLibrary, experiencesOf } from "./experience-library.ts";
import { bestPrompt, type PromptPopulation } from "./prompt-population.ts";
import type { ReadingParts } from "./reading-text.ts";

/** What a run learned in words; `null` where it learned none. */
export function guidanceOf(state: { readonly [name: string]: unknown }): Guidance | null {
  const population = state["prompts"] as PromptPopulation | undefined;
  // A team's instructions are no single policy's.
  const prompts = population?.living.some(({ role }) => role !== undefined)
    ? undefined
    : population;
  const experience = state["experience"] as ExperienceLibrary | undefined;
  const cases = state["cases"] as CaseStore | undefined;
  if (prompts === undefined && experience === undefined && cases === undefined) return null;
  return {
    formatVersion: 1,
    prompt: prompts === undefined ? "" : bestPrompt(prompts).text,
    lessons: experience === undefined ? [] : experiencesOf(experience).map(({ text }) => text),
    cases: cases === undefined || cases.memory.cases.length === 0 ? null : cases,
  };
}

/**
 * What a rollout reads of it. A case is drawn as softly as it was learned.
 *
 * @param draw - in [0, 1): the same draw and situation read the same.
 * @throws WaggleError `SCHEMA_INVALID` for a choice of cases that this code does not know.
 */
export function guidanceReading(
  { prompt, lessons, cases }: Guidance,
  situation: string,
  draw: number,
): ReadingParts {
  if (cases === null || cases.memory.cases.length === 0) return { prompt, lessons };
  const { memory, policy } = cases;
  const known = casePolicy().weights.length;
  if (policy.weights.length !== known) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      `a choice of cases must have ${known} weights, got ${policy.weights.length}; learn the cases again`,
    );
  }
  const entries = memory.cases.map(({ byStage, ...entry }) =>
    byStage === undefined ? entry : { ...entry, byStage },
  );
  const features = entries.map((entry) => caseFeatures(entry, situation));
  const chances = choiceChances(caseValues(policy, features), policy.temperature);
  const [chosen] = drawWeighted(chances, 1, () => draw);
  const read = entries[chosen ?? 0];
  return { prompt, lessons, ...(read === undefined ? {} : { cases: [read] }) };
}
