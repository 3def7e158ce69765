/**
 * `prompts`: a population of instructions (or programs), each credited with the rewards of its rollouts. Better
 * ones are sampled more often. Weak ones are pruned into an archive, failed ones are archived with a reason,
 * and the best one always stays.
 *
 * Source: Zhou et al. 2025, "Agentic Policy Optimization via Instruction-Policy Co-Evolution" (INSPO),
 * arXiv:2512.01945 (softmax of importance weights); upper confidence bounds, Auer et al. 2002; ADAS and
 * SICA (archive).
 * Differs from INSPO: importance is the mean reward, which needs no learning rate.
 */
import { WaggleError } from "@waggle/protocol";
import { definePart, fixed, option, type PartOption } from "../composition/part-options.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { drawWeighted } from "../draw.ts";
import { argMax, requireFiniteRewards, requireInside } from "../statistics.ts";

export type Prompt = {
  readonly id: string;
  readonly text: string;
  /** The role it belongs to, if each role has its own. */
  readonly role?: string;
  /** Its own instruction for improving it, if it has one. */
  readonly improver?: string;
  /** Id of its parent; `null` for an initial prompt. */
  readonly parent: string | null;
  readonly uses: number;
  readonly rewardSum: number;
};

/** Prompts that are tried against each other, and those that were given up. */
export type PromptPopulation = {
  readonly living: readonly Prompt[];
  /** Pruned or failed prompts, with the reason. */
  readonly archive: readonly (Prompt & { readonly reason: "pruned" | "failed-check" })[];
};

export function promptPopulation(seeds: readonly string[]): PromptPopulation {
  return {
    living: seeds.map((text, i) => ({ id: `p${i}`, text, parent: null, uses: 0, rewardSum: 0 })),
    archive: [],
  };
}

/** A population with one empty instruction for each role. */
export function promptsByRole(roles: readonly string[]): PromptPopulation {
  const { living, archive } = promptPopulation(roles.map(() => ""));
  return { archive, living: living.map((prompt, i) => ({ ...prompt, role: roles[i] as string })) };
}

/** Replaces a role's instruction and archives the old one. */
export function replacePrompt(
  population: PromptPopulation,
  role: string,
  text: string,
): PromptPopulation {
  const old = requirePrompt(population.living.find((prompt) => prompt.role === role));
  const { living, archive } = addPrompt(population, text, old.id, true);
  const added = { ...requirePrompt(living.at(-1)), role };
  return {
    living: population.living.map((prompt) => (prompt === old ? added : prompt)),
    archive: [...archive, { ...old, reason: "pruned" }],
  };
}

/** Mean reward; 0 if never used. */
export function promptReward({ uses, rewardSum }: Prompt): number {
  return uses === 0 ? 0 : rewardSum / uses;
}

/**
 * The prompt to run next: unused ones first, then the highest mean + exploration · √(2 ln N / n). It is
 * deterministic; among equals the first wins.
 */
export function choosePrompt(population: PromptPopulation, exploration: number = 0.5): Prompt {
  const total = population.living.reduce((sum, { uses }) => sum + uses, 0);
  const bounds = population.living.map((prompt) =>
    prompt.uses === 0
      ? Number.POSITIVE_INFINITY
      : promptReward(prompt) + exploration * Math.sqrt((2 * Math.log(total)) / prompt.uses),
  );
  return requirePrompt(population.living[argMax(bounds)]);
}

/** The used prompt with the highest mean; the first prompt if none was used. */
export function bestPrompt({ living }: PromptPopulation): Prompt {
  const rewards = living.map((prompt) =>
    prompt.uses === 0 ? Number.NEGATIVE_INFINITY : promptReward(prompt),
  );
  return requirePrompt(living[argMax(rewards)]);
}

/** Draws a prompt by softmax of mean reward / temperature; unused ones count as the best so far. */
export function drawPrompt(
  population: PromptPopulation,
  random: () => number,
  temperature: number = 0.2,
): Prompt {
  requireInside("temperature", temperature, Number.MIN_VALUE, Number.MAX_VALUE);
  const best = Math.max(0, ...population.living.map(promptReward));
  const weights = population.living.map((prompt) =>
    Math.exp(((prompt.uses === 0 ? best : promptReward(prompt)) - best) / temperature),
  );
  const [chosen] = drawWeighted(weights, 1, random);
  return requirePrompt(chosen === undefined ? undefined : population.living[chosen]);
}

/** Credits a prompt with the rewards of its rollouts. */
export function creditPrompt(
  population: PromptPopulation,
  id: string,
  rewards: readonly number[],
): PromptPopulation {
  requireFiniteRewards(rewards);
  requirePrompt(population.living.find((prompt) => prompt.id === id));
  const sum = rewards.reduce((a, b) => a + b, 0);
  return {
    ...population,
    living: population.living.map((prompt) =>
      prompt.id === id
        ? { ...prompt, uses: prompt.uses + rewards.length, rewardSum: prompt.rewardSum + sum }
        : prompt,
    ),
  };
}

/**
 * Adds a prompt made from `parent`; one that failed its check goes to the archive. Ids count over both lists, so
 * an id is never reused.
 */
export function addPrompt(
  population: PromptPopulation,
  text: string,
  parent: string,
  passedCheck: boolean,
  improver?: string,
): PromptPopulation {
  const id = `p${population.living.length + population.archive.length}`;
  const own = improver === undefined ? {} : { improver };
  const prompt: Prompt = { id, text, ...own, parent, uses: 0, rewardSum: 0 };
  return passedCheck
    ? { ...population, living: [...population.living, prompt] }
    : { ...population, archive: [...population.archive, { ...prompt, reason: "failed-check" }] };
}

/** Keeps the best `keep` prompts with at least `leastUses` uses, and all prompts with fewer uses. */
export function prunePrompts(
  population: PromptPopulation,
  keep: number,
  leastUses: number,
): PromptPopulation {
  const tried = population.living.filter(({ uses }) => uses >= leastUses);
  const best = new Set(
    tried.toSorted((a, b) => promptReward(b) - promptReward(a)).slice(0, Math.max(1, keep)),
  );
  return archivePrompts(population, (prompt) => prompt.uses >= leastUses && !best.has(prompt));
}

/** Moves prompts to the archive. */
export function archivePrompts(
  { living, archive }: PromptPopulation,
  leaves: (prompt: Prompt) => boolean,
): PromptPopulation {
  const pruned = living.filter((prompt) => leaves(prompt));
  return {
    living: living.filter((prompt) => !pruned.includes(prompt)),
    archive: [...archive, ...pruned.map((prompt) => ({ ...prompt, reason: "pruned" as const }))],
  };
}

function requirePrompt(prompt: Prompt | undefined): Prompt {
  if (prompt === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "this prompt is not in the current population; seed the population first, or use an id from it",
    );
  }
  return prompt;
}

type PromptChoice =
  | { readonly by: "bounds"; readonly exploration?: number }
  | { readonly by: "soft"; readonly temperature: number };

/**
 * `prompts`: instructions, each credited with the rewards of its rollouts. `bounds` tries unused ones first and
 * then the highest upper confidence bound; `soft` draws by softmax of the means at this temperature. Default:
 * `bounds` with exploration 0.5.
 */
export function prompts(
  seeds: readonly string[],
  choose: PromptChoice = { by: "bounds" },
): StatePart<"prompts"> {
  const options =
    choose.by === "bounds"
      ? { promptExploration: option(choose.exploration, 0.5) }
      : { promptTemperature: fixed(choose.temperature) };
  return definePart<{ readonly [name: string]: PartOption<number> }, StatePart<"prompts">>(
    options,
    ({ promptExploration, promptTemperature = 0 }) => ({
      ...kept("prompts", () => promptPopulation(seeds)),
      read: (value, { at, explores, random }) => {
        if (at !== "start") return null;
        const population = value as PromptPopulation;
        const { id, text } = !explores
          ? bestPrompt(population)
          : choose.by === "bounds"
            ? choosePrompt(population, promptExploration)
            : drawPrompt(population, random, promptTemperature);
        return { ids: [id], parts: { prompt: text } };
      },
    }),
  );
}
