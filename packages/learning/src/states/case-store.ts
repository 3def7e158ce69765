/** Cases and the policy that chooses among them, in the form that pages use. */
import { definePart, option } from "../composition/part-options.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { drawWeighted } from "../draw.ts";
import { type CaseMemory, caseMemory } from "./case-memory.ts";
import {
  caseFeatures,
  type CasePolicy,
  casePolicy,
  caseValues,
  choiceChances,
} from "./case-policy.ts";

/** Stored cases and the policy that chooses which case to read. */
export type CaseStore = { readonly memory: CaseMemory; readonly policy: CasePolicy };

/** An empty store. @param temperature - temperature of the choice, in units of reward. */
export function caseStore(temperature?: number): CaseStore {
  return { memory: caseMemory(), policy: casePolicy(temperature) };
}

/** `cases`: past rollouts; learning decides which one is read. */
export function cases({
  temperature,
  stage,
}: {
  /** Temperature of the choice, in units of reward. Default 0.1. */
  readonly temperature?: number;
  /** The stage whose values are used, if stages value cases differently. */
  readonly stage?: string;
} = {}): StatePart<"cases"> {
  return definePart({ caseTemperature: option(temperature, 0.1) }, ({ caseTemperature }) => ({
    ...kept("cases", () => caseStore(caseTemperature)),
    read: (value, { at, situation, random }) => {
      const { memory, policy } = value as CaseStore;
      if (at !== "start" || memory.cases.length === 0) return null;
      const features = memory.cases.map((entry) => caseFeatures(entry, situation, stage));
      const values = caseValues(policy, features);
      // Evaluation samples from the softmax too, because that is the learned policy.
      const [drawn] = drawWeighted(choiceChances(values, policy.temperature), 1, random);
      const chosen = memory.cases[drawn ?? 0];
      return chosen === undefined ? null : { ids: [chosen.id], parts: { cases: [chosen] } };
    },
  }));
}
