/**
 * DualTune: a call is two tasks. One adapter learns to name the tool, others to write its arguments; each has
 * loss on its own tokens alone, and they take turns within a call when it is made.
 *
 * Source: Kadekodi et al. 2025, "DualTune: Decoupled Fine-Tuning for On-Device Agentic Systems",
 * arXiv:2510.00229.
 * Differs from it: tools share a few adapters for arguments, by their names; all tools are offered at once,
 * without its hierarchy of servers; who names tools also says when to call none.
 * Why: pages would have to load an adapter for each tool.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

const SELECTOR = "selector";
const roleAt = (slot: number): string => `arguments-${slot}`;

/** The slot of a tool: the same one for the same name. */
function slotOf(tool: string, slots: number): number {
  const sum = Array.from(tool).reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
  return sum % Math.max(1, slots);
}

export const dualTune: CreateRecipe = recipe({
  name: "dual-tune",
  literature: "DualTune",
  differs: [
    "tools share a few adapters for arguments, by their names",
    "all tools are offered at once, without its hierarchy of servers",
    "who names tools also says when to call none",
  ],
  schedule: ["sft"],
  settings: { mistakes: 0.1, slots: 4, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, slots, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      losses: [parts.maskedCrossEntropy()],
      state: {
        "role-adapters": parts.roleAdapters(
          [SELECTOR, ...Array.from({ length: Math.max(1, slots) }, (_, slot) => roleAt(slot))],
          { divides: { names: SELECTOR, fills: (tool) => roleAt(slotOf(tool, slots)) } },
        ),
      },
      steps,
      settings: { tasksPerStep: 48, learningRate },
    }),
  ],
});
