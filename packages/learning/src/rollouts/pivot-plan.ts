/**
 * `pivot`: K actions of the current policy at single turns of stored runs, no whole episodes. Turns
 * that were unanimous lately are asked again seldom.
 *
 * Source: PivotRL; ToolCUA (turns at which interface and tool are exchanged).
 */
import { drawWeighted } from "../draw.ts";

export type PivotTurn = {
  readonly run: string;
  readonly turn: number;
  /** Variance of outcomes when it was last sampled; `null` where it never was. */
  readonly lastVariance: number | null;
};

export type PivotPlan = { readonly run: string; readonly turn: number; readonly actions: number };

/**
 * Turns to sample at, as many as the budget of actions allows: new ones and varied ones first.
 *
 * @param actions - K at each turn.
 * @param budget - actions in all.
 * @param seldom - weight of a turn that was unanimous, in [0, 1]. Default 0.1.
 */
export function pivotPlan(
  turns: readonly PivotTurn[],
  actions: number,
  budget: number,
  random: () => number,
  seldom: number = 0.1,
): PivotPlan[] {
  const weights = turns.map(({ lastVariance }) =>
    lastVariance === null ? 1 : Math.max(seldom, Math.min(1, 4 * lastVariance)),
  );
  return drawWeighted(weights, Math.floor(budget / actions), random).map((i) => {
    const { run, turn } = turns[i]!;
    return { run, turn, actions };
  });
}
