/**
 * AgentSwift: a writer grows a tree of designs, one component at a time; a model of what designs are worth
 * says which of them are run at all, and how unsure it is says where the search looks next.
 *
 * Source: Li et al. 2025, "AgentSwift: Efficient LLM Agent Design via Value-guided Hierarchical Search",
 * arXiv:2506.06017.
 * Differs from it: a design is the agent's instruction, its components what it says of them; the value model
 * is linear in the words of a design and learns while the search goes on; a component is rewritten, none is
 * taken over from another design; tasks are of one kind.
 * Why: texts can be delivered to pages, and a linear model learns from the few designs that a run tries.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentSwift: CreateRecipe = recipe({
  name: "agent-swift",
  literature: "AgentSwift",
  differs: [
    "a design is the agent's instruction, its components what it says of them",
    "the value model is linear in the words of a design and learns while the search goes on",
    "a component is rewritten, none is taken over from another design",
    "tasks are of one kind",
  ],
  schedule: ["rounds"],
  settings: { keep: 2, curiosity: 1, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, curiosity, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.designTree(curiosity),
      filters: [parts.designRisk(keep, curiosity)],
      reward: parts.outcome(),
      how: parts.designEdits(leastUses, curiosity),
      state: { prompts: parts.designs(), rm: parts.designWorth },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});
