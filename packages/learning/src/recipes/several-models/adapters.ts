/** One adapter for each kind of task or speaker. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { speakersCrossEntropy } from "../../losses/imitation/supervised-loss.ts";
import { speakerMask } from "../../filters/speaker-mask.ts";

const KINDS = ["kind-0", "kind-1", "kind-2"] as const;

/**
 * Adapter tuning: small adapters in a frozen model, one for each language.
 *
 * Source: "One Adapter for All Programming Languages? Adapter Tuning for Code Search and Summarization",
 * arXiv:2303.15822.
 * Differs from it: low-rank adapters in the feed-forward layers instead of bottleneck layers after them; kinds of
 * task instead of languages.
 * Why: pages load low-rank adapters, and the environments use one language.
 */
const adapterTuning: CreateRecipe = recipe({
  name: "adapter-tuning",
  literature: "Adapter tuning",
  differs: [
    "low-rank adapters in the feed-forward layers instead of bottleneck layers after them",
    "kinds of task instead of languages",
  ],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: { place: "mlp", steps: 25, learningRate: 3e-3 },
  stages: ({ place, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [
        parts.parameterSubset(
          parts.crossEntropy(),
          (names) => new Set(names.filter((name) => name.includes(place))),
        ),
      ],
      state: { "role-adapters": parts.roleAdapters(KINDS, { roleOf: parts.byLevel(KINDS) }) },
      steps,
      settings: { tasksPerStep: 48, learningRate },
    }),
  ],
});

const TASKS = ["task-0", "task-1", "task-2"] as const;

/**
 * TAIL: one adapter per kind of task over a frozen base model, each learned from its own demonstrations.
 *
 * Source: Liu et al. 2024, "TAIL: Task-specific Adapters for Imitation Learning with Large Pretrained Models",
 * arXiv:2310.05905.
 * Differs from it: kinds are difficulty levels, learned side by side.
 * Why: an environment has levels instead of different tasks, and side by side each gets the same budget.
 */
const tail: CreateRecipe = recipe({
  name: "tail",
  literature: "TAIL",
  differs: ["kinds are difficulty levels, learned side by side"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [parts.crossEntropy()],
      state: { "role-adapters": parts.roleAdapters(TASKS, { roleOf: parts.byLevel(TASKS) }) },
      steps,
      settings: { tasksPerStep: 48, learningRate },
    }),
  ],
});

const MODULATORS = ["modulator-0", "modulator-1", "modulator-2"] as const;

/**
 * L2M: a pool of modulators over a frozen model, one for each task; tasks arrive in sequence and do not change each
 * other's modulators.
 *
 * Source: Schmied et al. 2023, "Learning to Modulate pre-trained Models in RL", arXiv:2306.14884.
 * Differs from it: the modulator of a task is known, not retrieved by a key; modulators are adapters of the
 * attention only.
 * Why: a task's reference names its kind, and the location of the modulators is a setting.
 */
const l2m: CreateRecipe = recipe({
  name: "l2m",
  literature: "L2M",
  differs: [
    "the modulator of a task is known, not retrieved by a key",
    "modulators are adapters of the attention only",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { place: "self_attn", steps: 5, rounds: 2, learningRate: 3e-3 },
  stages: ({ place, steps, learningRate }) =>
    MODULATORS.map((modulator) =>
      tokenStage({
        name: modulator,
        rollout: parts.demos(),
        losses: [
          parts.parameterSubset(
            parts.crossEntropy(),
            (names) => new Set(names.filter((name) => name.includes(place))),
          ),
        ],
        state: {
          "role-adapters": parts.roleAdapters(MODULATORS, {
            learn: [modulator],
            roleOf: parts.byLevel(MODULATORS),
          }),
        },
        steps,
        settings: { tasksPerStep: 48, learningRate },
      }),
    ),
});

/**
 * Midi-Tuning: one adapter for each speaker of a dialogue, so that each keeps its style over many rounds.
 *
 * Source: Wang et al. 2024, "Instruct Once, Chat Consistently in Multiple Rounds: An Efficient Tuning Framework for
 * Dialogue", arXiv:2402.06967.
 * Differs from it: rounds are not cached separately; the user's adapter is trained, but the environment still
 * speaks for the user.
 * Why: rounds are short here, and the environment defines what a user wants.
 */
const midiTuning: CreateRecipe = recipe({
  name: "midi-tuning",
  literature: "Midi-Tuning",
  differs: [
    "rounds are not cached separately",
    "the user's adapter is trained, but the environment still speaks for the user",
  ],
  mechanism: "partial",
  needs: ["user"],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      filters: [speakerMask()],
      losses: [speakersCrossEntropy()],
      state: {
        "role-adapters": parts.roleAdapters(["agent", "user"], {
          roleOf: () => "agent",
          hears: "user",
        }),
      },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

const SELECTOR = "selector";

const roleAt = (slot: number): string => `arguments-${slot}`;

/** The slot of a tool: the same one for the same name. */
function slotOf(tool: string, slots: number): number {
  const sum = Array.from(tool).reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
  return sum % Math.max(1, slots);
}

/**
 * DualTune: divides a call into two tasks. One adapter names the tool and others write its arguments; each is
 * trained on its own tokens, and they alternate within a call.
 *
 * Source: Kadekodi et al. 2025, "DualTune: Decoupled Fine-Tuning for On-Device Agentic Systems", arXiv:2510.00229.
 * Differs from it: tools share a few argument adapters, by name; all tools are offered at once, without a hierarchy
 * of servers; the adapter that names tools also decides when to call none.
 * Why: pages would otherwise load an adapter for each tool.
 */
const dualTune: CreateRecipe = recipe({
  name: "dual-tune",
  literature: "DualTune",
  differs: [
    "tools share a few argument adapters, by name",
    "all tools are offered at once, without a hierarchy of servers",
    "the adapter that names tools also decides when to call none",
  ],
  mechanism: "partial",
  needs: ["search"],
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

export const ADAPTER_RECIPES: readonly CreateRecipe[] = [
  adapterTuning,
  tail,
  l2m,
  midiTuning,
  dualTune,
];
