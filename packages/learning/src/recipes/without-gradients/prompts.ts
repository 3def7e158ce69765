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
 * ADAS: a writer sees the whole archive of designs with what each earned and proposes one that is new.
 *
 * Source: Hu et al. 2024, "Automated Design of Agentic Systems", arXiv:2408.08435.
 * Differs from it: a design is the agent's instruction, where the paper's are programs in Python; every
 * design stays in the population.
 * Why: an instruction can be delivered to pages and replayed; running code that a model wrote can not.
 */
const adas: CreateRecipe = recipe({
  name: "adas",
  literature: "ADAS",
  differs: ["a design is the agent's instruction, not a program"],
  mechanism: "partial",
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
const agentSwift: CreateRecipe = recipe({
  name: "agent-swift",
  literature: "AgentSwift",
  differs: [
    "a design is the agent's instruction, its components what it says of them",
    "the value model is linear in the words of a design and learns while the search goes on",
    "a component is rewritten, none is taken over from another design",
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
 * Evolver: hypothesis, one change, evaluation by a judge, and the better of the two is kept.
 *
 * Source: "A Multi-AI Agent System for Autonomous Optimization of Agentic AI Solutions via Iterative
 * Refinement and LLM-Driven Feedback Loops".
 * Differs from it: one writer stands for the paper's refining, modifying and documenting agents.
 * Why: who writes is a port, behind which one model or a team may stand.
 */
const evolver: CreateRecipe = recipe({
  name: "evolver",
  literature: "Evolver",
  differs: ["one writer stands for the paper's team of refining agents"],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { keep: 1, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.judge(callsAndResults),
      how: parts.promptEdits({ request: hypothesis, keep, leastUses }),
      state: { judge: parts.judgement, prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});

/**
 * Gödel Agent: besides its instruction an agent carries the words by which it is improved, and both are
 * rewritten.
 *
 * Source: Yin et al. 2024, "Gödel Agent: A Self-Referential Agent Framework for Recursive
 * Self-Improvement", arXiv:2410.04444.
 * Differs from it: instruction and improver are texts, no running code is patched.
 * Why: texts can be delivered to pages and replayed, running code that a model wrote can not.
 */
const goedelAgent: CreateRecipe = recipe({
  name: "goedel-agent",
  literature: "Gödel Agent",
  differs: ["instruction and improver are texts, no running code is patched"],
  mechanism: "partial",
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
 * PING: a prefix is searched that keeps an agent able and makes it refuse what it should; weights stay fixed.
 *
 * Source: Hahm et al. 2025, "Unintended Misalignment from Agentic Fine-Tuning: Risks and Mitigation".
 * Differs from it: the prefix stands at the end of the system message, not at the beginning of the answer;
 * what should be refused is a call that a task does not need.
 * Why: the answer's beginning is sampled and belongs to the record; nothing here harms, so that a needless
 * call is what can be refused.
 */
const ping: CreateRecipe = recipe({
  name: "ping",
  literature: "PING prefix search",
  differs: [
    "the prefix stands in the system message, not at the beginning of the answer",
    "what should be refused is a call that the task does not need",
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
 * SICA: the best agent of the archive edits itself, and the edited one joins the archive.
 *
 * Source: Robeyns et al. 2025, "A Self-Improving Coding Agent", arXiv:2504.15228.
 * Differs from it: what is edited is the agent's instruction, not its code; utility is the outcome less
 * what calls cost.
 * Why: an instruction can be delivered to pages and replayed; running code that a model wrote can not.
 */
const sica: CreateRecipe = recipe({
  name: "sica",
  literature: "SICA",
  differs: ["what is edited is the agent's instruction, not its code"],
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
