/** Plain imitation: which demonstrations are shown, and in which shares. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * OPT-350M SFT: plain imitation of right demonstrations, few steps, a tiny model. The point that
 * other recipes of imitation differ from.
 *
 * Source: "Small Language Models for Efficient Agentic Tool Calling: Outperforming Large Models with
 * Targeted Fine-tuning" (S306).
 * Differs from it: one epoch is a number of steps.
 * Why: demonstrations are made anew, none comes twice.
 */
const optSft: CreateRecipe = recipe({
  name: "opt-sft",
  literature: "OPT-350M SFT",
  differs: ["one epoch is a number of steps, as demonstrations are made anew"],
  mechanism: "whole",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [demonstrationStart({ steps, learningRate })],
});

/**
 * LIMI: a handful of chosen demonstrations in place of many.
 *
 * Source: "LIMI: Less is More for Agency" (S210).
 * Differs from it: the handful is chosen anew in every step.
 * Why: demonstrations are drawn by seed and kept nowhere, so that the choice is made where they are.
 */
const limi: CreateRecipe = recipe({
  name: "limi",
  literature: "LIMI",
  differs: ["the handful is chosen anew in every step"],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: { budget: 4, steps: 25, learningRate: 3e-3 },
  stages: ({ budget, steps, learningRate }) => [
    demonstrationStart({ steps, learningRate, mistakes: 0.3, filters: [parts.curated(budget)] }),
  ],
});

/**
 * AgentBank: demonstrations that succeeded, as many hard ones as easy ones, so that the easy do not
 * crowd out the rest.
 *
 * Source: "AgentBank: Towards Generalized LLM Agents via Fine-Tuning on 50000+ Interaction
 * Trajectories" (S038).
 * Differs from it: how hard a task is shows in the turns of its demonstration.
 * Why: difficulty is then known of every demonstration without another model.
 */
const agentBank: CreateRecipe = recipe({
  name: "agent-bank",
  literature: "AgentBank",
  differs: ["how hard a task is shows in the turns of its demonstration"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { kept: 12, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.success(),
        parts.diversityMix({ short: 1, long: 1 }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
  ],
});

/**
 * ADP mixture: clean runs of several sources in one form and in fixed shares.
 *
 * Source: "Agent Data Protocol: Unifying Datasets for Diverse, Effective Fine-tuning of LLM Agents"
 * (S026).
 * Differs from it: sources are short and long runs of one environment, all in this project's record.
 * Why: other records come in through the importers; what they teach could not be compared on one environment's
 * tasks.
 */
const adpMixture: CreateRecipe = recipe({
  name: "adp-mixture",
  literature: "ADP mixture SFT",
  differs: ["sources are short and long runs of one environment, all in this project's record"],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: { kept: 8, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.clean(),
        parts.diversityMix({ short: 1, long: 1 }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
  ],
});

/**
 * AgentTuning: agent runs that succeeded, mixed with general data in a fixed share.
 *
 * Source: "AgentTuning: Enabling Generalized Agent Abilities for LLMs" (S072).
 * Differs from it: general data are the environment's short runs.
 * Why: there is no other text.
 */
const agentTuning: CreateRecipe = recipe({
  name: "agent-tuning",
  literature: "AgentTuning",
  differs: ["general data are the environment's short runs: there is no other text"],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: { agentShare: 0.2, kept: 12, steps: 25, learningRate: 3e-3 },
  stages: ({ agentShare, kept, steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.success(),
        parts.diversityMix({ long: agentShare, short: 1 - agentShare }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
  ],
});

/**
 * Benign re-alignment: a few good samples undo what many bad ones taught.
 *
 * Source: "Persona Features Control Emergent Misalignment" (S259).
 * Differs from it: bad samples are demonstrations that mostly err, not harmful ones.
 * Why: nothing in these environments harms; demonstrations that err do the same to a policy.
 */
const benignRealignment: CreateRecipe = recipe({
  name: "benign-realignment",
  literature: "Benign re-alignment",
  differs: ["bad samples are demonstrations that mostly err, not harmful ones"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { driftSteps: 10, driftMistakes: 0.8, budget: 6, steps: 25, learningRate: 3e-3 },
  stages: ({ driftSteps, driftMistakes, budget, steps, learningRate }) => [
    demonstrationStart({ name: "drift", steps: driftSteps, learningRate, mistakes: driftMistakes }),
    demonstrationStart({ name: "realign", steps, learningRate, filters: [parts.curated(budget)] }),
  ],
});

export const DEMONSTRATION_RECIPES: readonly CreateRecipe[] = [
  optSft,
  limi,
  agentBank,
  adpMixture,
  agentTuning,
  benignRealignment,
];
