/** Searches over instructions; the weights stay as they are. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { writingStage } from "../../composition/stage.ts";
import {
  archiveSearch,
  hypothesis,
  prefixSearch,
  selfEdit,
  selfReference,
} from "../../gradient-free/prompt-writing.ts";
import * as parts from "../../parts.ts";
import {
  designEdits,
  designRisk,
  designTree,
  designWorth,
  designs,
} from "../../gradient-free/design-search.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";

/**
 * ADAS: a writer sees the archive of all designs with their rewards, and proposes a new one.
 *
 * Source: Hu et al. 2024, "Automated Design of Agentic Systems", arXiv:2408.08435.
 * Differs from it: a design is the agent's instruction, not a program.
 * Why: an instruction can be delivered to pages and replayed, while running code written by a model cannot.
 */
const adas: CreateRecipe = recipe({
  name: "adas",
  literature: "ADAS",
  differs: ["a design is the agent's instruction, not a program"],
  mechanism: "nominal",
  schedule: ["rounds"],
  settings: { keep: 1000, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      how: parts.promptEdits({ request: archiveSearch, keep, leastUses }),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});

/**
 * AgentSwift: a writer grows a tree of designs, one component at a time; a value model decides which designs are
 * run, and its uncertainty guides the search.
 *
 * Source: Li et al. 2025, "AgentSwift: Efficient LLM Agent Design via Value-guided Hierarchical Search",
 * arXiv:2506.06017.
 * Differs from it: a design is the agent's instruction, with components as parts of it; the value model is linear
 * in the words of a design and learns during the search; a component is rewritten, not taken from another design;
 * tasks are of one kind.
 * Why: texts can be delivered to pages, and a linear model learns from the few designs that a run tries.
 */
const agentSwift: CreateRecipe = recipe({
  name: "agent-swift",
  literature: "AgentSwift",
  differs: [
    "a design is the agent's instruction, with components as parts of it",
    "the value model is linear in the words of a design and learns during the search",
    "a component is rewritten, not taken from another design",
    "tasks are of one kind",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { keep: 2, curiosity: 1, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, curiosity, leastUses, tasks, steps }) => [
    writingStage({
      rollout: designTree(curiosity),
      filters: [designRisk(keep, curiosity)],
      reward: parts.outcome(),
      how: designEdits(leastUses, curiosity),
      state: { prompts: designs(), rm: designWorth },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});

/**
 * Evolver: a hypothesis, one change and an evaluation by a judge; the better of the two is kept.
 *
 * Source: "A Multi-AI Agent System for Autonomous Optimization of Agentic AI Solutions via Iterative Refinement and
 * LLM-Driven Feedback Loops".
 * Differs from it: one writer instead of the paper's team of refining agents.
 * Why: the writer is a port, with one model or a team behind it.
 */
const evolver: CreateRecipe = recipe({
  name: "evolver",
  literature: "Evolver",
  differs: ["one writer instead of the paper's team of refining agents"],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { keep: 1, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.judge(callsAndResults),
      how: parts.promptEdits({ request: hypothesis, keep, leastUses }),
      state: { judge: parts.judgment, prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});

/**
 * Gödel Agent: besides its instruction, an agent carries the text that guides its improvement, and both are
 * rewritten.
 *
 * Source: Yin et al. 2024, "Gödel Agent: A Self-Referential Agent Framework for Recursive Self-Improvement",
 * arXiv:2410.04444.
 * Differs from it: instruction and improver are texts; no running code is patched.
 * Why: texts can be delivered to pages and replayed, while running code written by a model cannot.
 */
const goedelAgent: CreateRecipe = recipe({
  name: "goedel-agent",
  literature: "Gödel Agent",
  differs: ["instruction and improver are texts; no running code is patched"],
  mechanism: "nominal",
  schedule: ["rounds"],
  settings: { keep: 1, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      how: parts.promptEdits({ request: selfReference, keep, leastUses }),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});

/**
 * PING: searches for a prefix that keeps an agent able and makes it refuse when it should; the weights are frozen.
 *
 * Source: Hahm et al. 2025, "Unintended Misalignment from Agentic Fine-Tuning: Risks and Mitigation".
 * Differs from it: the prefix is in the system message, not at the start of the answer; an unnecessary call is what
 * should be refused.
 * Why: the start of the answer is sampled and belongs to the record, and nothing here is harmful, so an unnecessary
 * call takes its place.
 */
const ping: CreateRecipe = recipe({
  name: "ping",
  literature: "PING prefix search",
  differs: [
    "the prefix is in the system message, not at the start of the answer",
    "an unnecessary call is what should be refused",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { keep: 4, leastUses: 16, preferenceWeight: 0.5, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, preferenceWeight, tasks, steps }) => [
    writingStage({
      rollout: parts.single(4),
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.preference(), preferenceWeight],
      ]),
      how: parts.promptEdits({ request: prefixSearch, keep, leastUses }),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});

/**
 * SICA: the best agent of the archive edits itself, and the edited agent joins the archive.
 *
 * Source: Robeyns et al. 2025, "A Self-Improving Coding Agent", arXiv:2504.15228.
 * Differs from it: the edit changes the agent's instruction, not its code.
 * Why: an instruction can be delivered to pages and replayed, while running code written by a model cannot.
 */
const sica: CreateRecipe = recipe({
  name: "sica",
  literature: "SICA",
  differs: ["the edit changes the agent's instruction, not its code"],
  mechanism: "nominal",
  schedule: ["rounds"],
  settings: { keep: 1000, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      how: parts.promptEdits({ request: selfEdit, keep, leastUses }),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});

export const PROMPT_RECIPES: readonly CreateRecipe[] = [
  adas,
  agentSwift,
  evolver,
  goedelAgent,
  ping,
  sica,
];
