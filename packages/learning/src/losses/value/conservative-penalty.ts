/**
 * Keeps learned values of actions that were not taken below those of the logged one. Without it, a critic
 * that is trained on logs alone overestimates unseen actions. The values of the alternatives come from rows
 * of their own (the same state, another action). Part of `td-bc`.
 *
 * Sources: Kumar et al. 2020, "Conservative Q-Learning", arXiv:2006.04779, equation 4; calibrated, Nakamoto
 * et al. 2023, "Cal-QL", arXiv:2303.05479 (used by ConRFT).
 */
import type { LossResult } from "../../loss.ts";
import { finiteAt, type LossMask, type TokenRows, zeroRows } from "../../token-rows.ts";

/** The row and token of an action's value. */
type ValuePosition = { readonly row: number; readonly token: number };

/** The logged action and its alternatives in one state. */
export type ActionChoice = {
  readonly taken: ValuePosition;
  /** Other actions in the same state; the logged one is always among those compared. */
  readonly alternatives: readonly ValuePosition[];
  /** Value of a reference policy in this state; alternatives below it get no gradient. Default: none. */
  readonly referenceValue?: number | undefined;
};

/**
 * coefficient · mean over states of log Σ exp(Q) − Q(taken), the sum over all actions compared.
 *
 * @param batch - `lossMask` only gives the shape of the derivatives.
 * @param stateCount - states of the whole minibatch. Default: those given.
 */
export function conservativePenalty(
  batch: { readonly lossMask: LossMask; readonly values: TokenRows },
  states: readonly ActionChoice[],
  coefficient: number,
  stateCount: number = states.length,
): LossResult {
  const values = zeroRows(batch.lossMask);
  const scale = stateCount === 0 ? 0 : coefficient / stateCount;
  let loss = 0;
  let gap = 0;
  for (const { taken, alternatives, referenceValue = -Infinity } of states) {
    const positions = [taken, ...alternatives];
    const valuesHere = positions.map(({ row, token }) =>
      finiteAt(batch.values, "values", row, token),
    );
    const compared = valuesHere.map((value, i) =>
      i === 0 ? value : Math.max(value, referenceValue),
    );
    const largest = Math.max(...compared);
    const total = compared.reduce((sum, value) => sum + Math.exp(value - largest), 0);
    const excess = largest + Math.log(total) - (valuesHere[0] as number);
    loss += scale * excess;
    gap += stateCount === 0 ? 0 : excess / stateCount;
    for (const [i, { row, token }] of positions.entries()) {
      const isFree = i === 0 || (valuesHere[i] as number) > referenceValue;
      const share = isFree ? Math.exp((compared[i] as number) - largest) / total : 0;
      (values[row] as Float64Array)[token] =
        (values[row]?.[token] ?? 0) + scale * (share - (i === 0 ? 1 : 0));
    }
  }
  return { loss, derivatives: { values }, metrics: { conservativeGap: gap } };
}
