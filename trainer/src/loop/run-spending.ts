/** Counts the spending of a run and compares it with its budget. */
import { type JudgedGroup, type Recipe, sampledTokens } from "@waggle/learning";
import type { Spent } from "../metrics/spent.ts";

/** Totals at which a run ends; reaching either one ends it. */
export type Budget = { readonly sampledTokens: number; readonly toolCalls: number };

/** The running counts of a run's spending. */
export class RunSpending {
  readonly #startedAt: number;
  readonly #counts: { -readonly [name in keyof Omit<Spent, "seconds">]: number };

  /** @param before - spending of earlier processes on the same run. */
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

  /**
   * Counts these groups.
   * @returns them.
   */
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

  /** The total at which `share` of the remaining budget is spent. */
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

/** The stage's share of the budget that remains when it begins in this round. */
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
