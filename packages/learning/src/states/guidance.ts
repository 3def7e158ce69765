/**
 * Guidance as an artifact: the best prompt, the lessons and the cases of a run. A page or a replay reads it as
 * the run did, without exploration.
 */
import { type Guidance, WaggleError } from "@waggle/protocol";
import { drawWeighted } from "../draw.ts";
import { caseFeatures, casePolicy, caseValues, choiceChances } from "./case-policy.ts";
import type { CaseStore } from "./case-store.ts";
import { type ExperienceLibrary, experiencesOf } from "./experience-library.ts";
import { bestPrompt, type PromptPopulation } from "./prompt-population.ts";
import type { ReadingParts } from "./reading-text.ts";

/** The texts that a run learned; `null` if it learned none. */
export function guidanceOf(state: { readonly [name: string]: unknown }): Guidance | null {
  const population = state["prompts"] as PromptPopulation | undefined;
  // The instructions of a team do not fit a single policy.
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
 * Selects the guidance of a rollout. Cases are sampled at the learned temperature.
 *
 * @param draw - random number in [0, 1); the same draw and situation give the same guidance.
 * @throws WaggleError `SCHEMA_INVALID` for a case policy with an unknown number of weights.
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
      `the case policy has ${policy.weights.length} weights instead of ${known}; learn the cases again`,
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
