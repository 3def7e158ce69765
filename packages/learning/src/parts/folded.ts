/**
 * Attempts that keep their own notes: every turn has the request, what was noted, and the last result, and
 * no more. What a turn says beside its call is a note.
 *
 * Source: AgentFold (a model that folds its history at each step), BrowserAgent (a memory of conclusions).
 */
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutPlan } from "../composition/rollout-plan.ts";
import { resource, type StatePart } from "../composition/state.ts";

/** Notes of an attempt; they end with it. */
export const notes: StatePart<"memory-bank"> = resource("memory-bank");

type Folded<N extends "memory-bank"> = RolloutPart<N, "single">;

function folded(part: string, plan: Omit<Extract<RolloutPlan, { kind: "folded" }>, "kind">) {
  return {
    ...({ slot: "rollout", part, start: "single" } as const),
    plan: (): RolloutPlan => ({ kind: "folded", ...plan }),
  };
}

/** `demos` whose turns note a conclusion each, and sum several up where they can. */
export function foldingDemos(mistakes = 0): Folded<never> {
  return { ...folded("demos", { mistakes, consolidates: true }), needs: [] };
}

/** `demos` whose turns note a conclusion each. */
export function notedDemos(mistakes = 0): Folded<"memory-bank"> {
  return { ...folded("demos", { mistakes, consolidates: false }), needs: ["memory-bank"] };
}

/** `single`: the policy acts from its own notes. */
export function notedSingle(): Folded<"memory-bank"> {
  return { ...folded("single", { mistakes: null, consolidates: false }), needs: ["memory-bank"] };
}
