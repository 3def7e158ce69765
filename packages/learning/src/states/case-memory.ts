/**
 * `cases`: stored cases, each with a value: the expected reward of reading it. The policy improves by choosing
 * better cases; its weights are frozen.
 *
 * Source: Zhou et al. 2025, "AgentFly" (Memento), arXiv:2508.16153 (soft Q-learning over cases).
 * Differs from it: tabular values and a given similarity, no learned encoder.
 */
import { requireFiniteRewards } from "../statistics.ts";

export type Case = {
  readonly id: string;
  readonly situation: string;
  readonly action: string;
  readonly reward: number;
  /** Expected reward of reading the case. */
  readonly value: number;
  readonly reads: number;
  /** Value by stage, if stages value the case differently. */
  readonly byStage?: { readonly [stage: string]: number };
};

export type CaseMemory = { readonly cases: readonly Case[]; readonly written: number };

export function caseMemory(): CaseMemory {
  return { cases: [], written: 0 };
}

/** Adds a case, whose value starts at its reward. */
export function writeCase(
  memory: CaseMemory,
  entry: Pick<Case, "situation" | "action" | "reward">,
): CaseMemory {
  requireFiniteRewards([entry.reward]);
  const id = `k${memory.written}`;
  return {
    cases: [...memory.cases, { ...entry, id, value: entry.reward, reads: 0 }],
    written: memory.written + 1,
  };
}

/** Expected reward of reading a case in a stage; its overall value if the stage has not read it. */
export function valueIn({ value, byStage = {} }: Case, stage?: string): number {
  return stage !== undefined && Object.hasOwn(byStage, stage) ? (byStage[stage] ?? value) : value;
}

/**
 * Updates the value of a case after it was read: value ← value + rate · (reward + γ · next − value).
 *
 * @param nextValue - best value among the cases of the next situation; 0 at the end of a rollout.
 */
export function creditCase(
  memory: CaseMemory,
  id: string,
  reward: number,
  {
    rate = 0.2,
    discount = 1,
    nextValue = 0,
    stage,
  }: {
    readonly rate?: number;
    readonly discount?: number;
    readonly nextValue?: number;
    /** The stage whose value is updated; absent = the shared value. */
    readonly stage?: string;
  } = {},
): CaseMemory {
  requireFiniteRewards([reward]);
  const moved = (value: number): number => value + rate * (reward + discount * nextValue - value);
  return {
    ...memory,
    cases: memory.cases.map((entry) => {
      if (entry.id !== id) return entry;
      const read = { ...entry, reads: entry.reads + 1 };
      return stage === undefined
        ? { ...read, value: moved(entry.value) }
        : { ...read, byStage: { ...entry.byStage, [stage]: moved(valueIn(entry, stage)) } };
    }),
  };
}

/** Drops the least valuable cases beyond `capacity`, the older of equal ones first. */
export function forgetCases(memory: CaseMemory, capacity: number): CaseMemory {
  const kept = new Set(memory.cases.toSorted((a, b) => b.value - a.value).slice(0, capacity));
  return { ...memory, cases: memory.cases.filter((entry) => kept.has(entry)) };
}
