/**
 * SearchSwarm: only runs that succeeded are imitated.
 *
 * Source: "SearchSwarm: Towards Delegation Intelligence in Agentic LLMs for Long-Horizon Deep
 * Research" (S298).
 * Differs from it: what is delegated goes to tools.
 * Why: there are no sub-agents here.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const searchSwarm: CreateRecipe = recipe({
  name: "search-swarm",
  literature: "SearchSwarm",
  differs: ["what is delegated goes to tools: there are no sub-agents here"],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({ steps, learningRate, mistakes: 0.3, filters: [parts.success()] }),
  ],
});
