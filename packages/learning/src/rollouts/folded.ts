/**
 * Rollouts with notes instead of a history: each turn's context is the request, the notes so far and the last
 * result. The text that a turn writes beside its call is a note.
 *
 * Source: AgentFold (a model that folds its history at each step), BrowserAgent (a memory of conclusions).
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutPlan } from "../composition/rollout-plan.ts";

type Folded<N extends "memory-bank"> = RolloutPart<N, "single">;

function folded(part: string, plan: Omit<Extract<RolloutPlan, { kind: "folded" }>, "kind">) {
  return {
    slot: "rollout" as const,
    part,
    start: "single" as const,
    plan: (): RolloutPlan => ({ kind: "folded", ...plan }),
  };
}

/** `demos` whose turns each note a conclusion, and summarize several where possible. */
export function foldingDemos(mistakes = 0): Folded<never> {
  return { ...folded("demos", { mistakes, consolidates: true }), needs: [] };
}

/** `demos` whose turns each note a conclusion. */
export function notedDemos(mistakes = 0): Folded<"memory-bank"> {
  return { ...folded("demos", { mistakes, consolidates: false }), needs: ["memory-bank"] };
}

/**
 * `group`: `size` rollouts from the same start, in which the policy sees notes of the calls and texts instead
 * of the history.
 */
export function rememberedGroup(size?: number): RolloutPart<"memory-bank", "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) => {
    const plan = { mistakes: null, consolidates: false, records: true, size: groupSize };
    return { ...folded("group", plan), start: "group", needs: ["memory-bank"] };
  });
}

/** The same with the environment's simulated user: `user-sim`. */
export function rememberedUser(size?: number): RolloutPart<"memory-bank" | "world-model", "group"> {
  return definePart(
    { groupSize: option(size, 8) },
    ({ groupSize }): RolloutPart<"memory-bank" | "world-model", "group"> => {
      const plain = rememberedGroup(groupSize);
      const needs = ["memory-bank", "world-model"] as const;
      return { ...plain, part: "user-sim", needs, around: [plain] };
    },
  );
}

/** `single`: a rollout in which the policy acts from its own notes. */
export function notedSingle(): Folded<"memory-bank"> {
  return { ...folded("single", { mistakes: null, consolidates: false }), needs: ["memory-bank"] };
}
