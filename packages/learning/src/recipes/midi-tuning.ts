/**
 * Midi-Tuning: an adapter for each speaker of a dialogue, so that each keeps its own voice over many rounds.
 *
 * Source: Wang et al. 2024, "Instruct Once, Chat Consistently in Multiple Rounds: An Efficient Tuning
 * Framework for Dialogue", arXiv:2402.06967.
 * Differs from it: rounds are not cached apart; the user's adapter is learned, and the environment goes on
 * speaking for the user.
 * Why: rounds here are short, and what a user means is the environment's to say.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const midiTuning: CreateRecipe = recipe({
  name: "midi-tuning",
  literature: "Midi-Tuning",
  differs: [
    "rounds are not cached apart",
    "the user's adapter is learned, and the environment goes on speaking for the user",
  ],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      filters: [parts.speakerMask()],
      losses: [parts.speakersCrossEntropy()],
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
