/** Plain imitation: which demonstrations are shown, and in which shares. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * OPT-350M SFT: plain imitation of correct demonstrations with few steps and a tiny model. The reference point of
 * the other imitation recipes.
 *
 * Source: "Small Language Models for Efficient Agentic Tool Calling: Outperforming Large Models with Targeted
 * Fine-tuning" (S306).
 * Differs from it: an epoch is a number of steps.
 * Why: each demonstration is new, and none is repeated.
 */
const optSft: CreateRecipe = recipe({
  name: "opt-sft",
  literature: "OPT-350M SFT",
  differs: ["an epoch is a number of steps"],
  mechanism: "whole",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [demonstrationStart({ steps, learningRate })],
});

/**
 * LIMI: a few selected demonstrations instead of many.
 *
 * Source: "LIMI: Less is More for Agency" (S210).
 * Differs from it: the selection is made anew in every step.
 * Why: demonstrations are drawn by seed and not stored, so each step selects among its own.
 */
const limi: CreateRecipe = recipe({
  name: "limi",
  literature: "LIMI",
  differs: ["the selection is made anew in every step"],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: { budget: 4, steps: 25, learningRate: 3e-3 },
  stages: ({ budget, steps, learningRate }) => [
    demonstrationStart({ steps, learningRate, mistakes: 0.3, filters: [parts.curated(budget)] }),
  ],
});

/**
 * AgentBank: successful demonstrations, balanced between hard and easy tasks.
 *
 * Source: "AgentBank: Towards Generalized LLM Agents via Fine-Tuning on 50000+ Interaction Trajectories" (S038).
 * Differs from it: difficulty is the number of turns of a demonstration.
 * Why: it is known for every demonstration without another model.
 */
const agentBank: CreateRecipe = recipe({
  name: "agent-bank",
  literature: "AgentBank",
  differs: ["difficulty is the number of turns of a demonstration"],
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
 * ADP mixture: clean trajectories of several sources in one format and in fixed shares.
 *
 * Source: "Agent Data Protocol: Unifying Datasets for Diverse, Effective Fine-tuning of LLM Agents" (S026).
 * Differs from it: the sources are short and long trajectories of one environment, in Waggle's own record format.
 * Why: other formats can be imported, but their effect could not be compared on the tasks of one environment.
 */
const adpMixture: CreateRecipe = recipe({
  name: "adp-mixture",
  literature: "ADP mixture SFT",
  differs: [
    "the sources are short and long trajectories of one environment, in Waggle's own record format",
  ],
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
 * AgentTuning: successful agent trajectories, mixed with general data in a fixed share.
 *
 * Source: "AgentTuning: Enabling Generalized Agent Abilities for LLMs" (S072).
 * Differs from it: the general data are the environment's short trajectories.
 * Why: there is no other text.
 */
const agentTuning: CreateRecipe = recipe({
  name: "agent-tuning",
  literature: "AgentTuning",
  differs: ["the general data are the environment's short trajectories"],
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
 * Benign re-alignment: a few good samples undo the effect of many bad ones.
 *
 * Source: "Persona Features Control Emergent Misalignment" (S259).
 * Differs from it: bad samples are demonstrations with many mistakes, not harmful ones.
 * Why: nothing in these environments is harmful, and demonstrations with mistakes damage a policy in the same way.
 */
const benignRealignment: CreateRecipe = recipe({
  name: "benign-realignment",
  literature: "Benign re-alignment",
  differs: ["bad samples are demonstrations with many mistakes, not harmful ones"],
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
