/** Cases and the policy that chooses among them: what a page needs to act by past rollouts. */
import { type CaseMemory, caseMemory } from "./case-memory.ts";
import { type CasePolicy, casePolicy } from "./case-policy.ts";

export type CaseStore = { readonly memory: CaseMemory; readonly policy: CasePolicy };

/** Without a case. @param temperature - of the choice, in units of reward. */
export function caseStore(temperature?: number): CaseStore {
  return { memory: caseMemory(), policy: casePolicy(temperature) };
}
