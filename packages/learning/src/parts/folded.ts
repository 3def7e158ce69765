/**
 * Rollouts that keep their own notes: every turn has the request, what was noted, and the last result, and
 * no more. What a turn says beside its call is a note.
 *
 * Source: AgentFold (a model that folds its history at each step), BrowserAgent (a memory of conclusions).
 */
import type { GroupAdvantageOptions } from "../advantages/group-advantages.ts";
import { dial, made } from "../composition/making.ts";
import type { AdvantagePart, RolloutPart } from "../composition/part.ts";
import type { RolloutPlan } from "../composition/rollout-plan.ts";
import { resource, type StatePart } from "../composition/state.ts";
import { withScale } from "./advantage-scale.ts";
import { groupAdvantage } from "./group-advantages.ts";
import { jointAdvantage } from "./teams.ts";

/** Notes of a rollout; they end with it. */
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

/**
 * `group`: `size` rollouts from the same start, in which the policy sees what was recorded of calls and
 * words in the place of the history.
 */
export function rememberedGroup(size?: number): RolloutPart<"memory-bank", "group"> {
  return made({ groupSize: dial(size, 8) }, ({ groupSize }) => {
    const plan = { mistakes: null, consolidates: false, records: true, size: groupSize };
    return { ...folded("group", plan), start: "group", needs: ["memory-bank"] };
  });
}

/** The same with the environment's user: `user-sim`. */
export function rememberedUser(size?: number): RolloutPart<"memory-bank" | "world-model", "group"> {
  return made(
    { groupSize: dial(size, 8) },
    ({ groupSize }): RolloutPart<"memory-bank" | "world-model", "group"> => {
      const plain = rememberedGroup(groupSize);
      const needs = ["memory-bank", "world-model"] as const;
      return { ...plain, part: "user-sim", needs, around: [plain] };
    },
  );
}

/**
 * `broadcast`: every turn is a sample of its own and carries the advantage of its rollout.
 *
 * Source: Li et al. 2025, "In-the-Flow Agentic System Optimization" (Flow-GRPO), arXiv:2510.05592.
 */
export function broadcastTurns(options?: GroupAdvantageOptions): AdvantagePart<never, "group"> {
  return withScale(options, (scaled) => {
    return { ...jointAdvantage(scaled), part: "broadcast", around: [groupAdvantage(scaled)] };
  });
}

/** `single`: the policy acts from its own notes. */
export function notedSingle(): Folded<"memory-bank"> {
  return { ...folded("single", { mistakes: null, consolidates: false }), needs: ["memory-bank"] };
}
