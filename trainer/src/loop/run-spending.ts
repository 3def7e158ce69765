/** What a run has spent so far, and whether it may go on. Budgets are compared by these. */
import { type JudgedGroup, type Recipe, sampledTokens } from "@waggle/learning";

export type Spent = {
  /** Trajectories; stored and printed by this name. */
  readonly episodes: number;
  readonly sampledTokens: number;
  /** Calls that a branch repeats to reach its place were made once. */
  readonly toolCalls: number;
  /** Turns, those that a branch repeats left out. */
  readonly turns: number;
  readonly seconds: number;
};

export type Budget = { readonly sampledTokens: number; readonly toolCalls: number };

export class RunSpending {
  readonly #startedAt: number;
  readonly #counts: { -readonly [name in keyof Omit<Spent, "seconds">]: number };

  /** @param before - what an earlier process spent on the same run. */
  constructor(
    before: Spent = { episodes: 0, sampledTokens: 0, toolCalls: 0, turns: 0, seconds: 0 },
  ) {
    const { seconds, ...counts } = before;
    this.#startedAt = performance.now() - 1000 * seconds;
    this.#counts = counts;
  }

  get soFar(): Spent {
    return { ...this.#counts, seconds: (performance.now() - this.#startedAt) / 1000 };
  }

  /** Counts these in. @returns them. */
  count(groups: JudgedGroup[]): JudgedGroup[] {
    for (const { trajectories } of groups) {
      this.#counts.episodes += trajectories.length;
      for (const trajectory of trajectories) {
        this.#counts.sampledTokens += sampledTokens(trajectory);
        const turns = trajectory.turns.slice(trajectory.branch?.turn ?? 0);
        this.#counts.turns += turns.length;
        for (const { toolCalls } of turns) this.#counts.toolCalls += toolCalls.length;
      }
    }
    return groups;
  }

  /** What may be spent in all so that of this budget's rest a share goes. */
  upTo(budget: Budget | undefined, share: number): Budget | undefined {
    if (budget === undefined) return undefined;
    const { sampledTokens: tokens, toolCalls: calls } = this.#counts;
    return {
      sampledTokens: tokens + share * (budget.sampledTokens - tokens),
      toolCalls: calls + share * (budget.toolCalls - calls),
    };
  }

  exceeds(budget: Budget | undefined): boolean {
    if (budget === undefined) return false;
    const { sampledTokens: tokens, toolCalls: calls } = this.#counts;
    return tokens >= budget.sampledTokens || calls >= budget.toolCalls;
  }
}

/** Of what is left of the budget when this stage of this round begins. */
export function shareOfRest(
  { rounds }: Pick<Recipe, "rounds">,
  shares: readonly number[] | undefined,
  round: number,
  at: number,
): number {
  if (shares === undefined) return 1;
  const before = shares.slice(0, at).reduce((sum, share) => sum + share, round);
  return Math.min(1, (shares[at] ?? 0) / (rounds - before));
}
