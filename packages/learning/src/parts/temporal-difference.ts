/**
 * Learning values from stored transitions: `td` targets, and `td-bc`, which fits the critic to them and
 * keeps the policy near what was done. One head serves for both values of an action: before its first
 * token it is that of the state, before its last one that of the state and the action.
 *
 * Sources: those of `advantages/chunk-targets.ts`, `losses/behavior-constraint.ts` and
 * `losses/conservative-penalty.ts`.
 */
import { chunkTargets } from "../advantages/chunk-targets.ts";
import { type JudgedTurn, wasCutOff } from "../composition/judged-trajectory.ts";
import type {
  AdvantagePart,
  LossPart,
  Minibatch,
  RewardedTrajectory,
} from "../composition/part.ts";
import { addLosses, scaleLoss } from "../loss.ts";
import { behaviorConstrained, meanAbsoluteAdvantage } from "../losses/behavior-constraint.ts";
import { type ActionChoice, conservativePenalty } from "../losses/conservative-penalty.ts";
import { supervisedLoss } from "../losses/supervised-loss.ts";
import { valueLoss } from "../losses/value-loss.ts";
import type { TokenRows } from "../token-rows.ts";
import { advantagePart, overTurns, turnRewards } from "./credit.ts";
import { lossPart, present } from "./loss-part.ts";

/** The role of an action that the policy would take in a stored state, and that was not taken. */
const PROPOSAL = "proposal";

export type TemporalDifferenceOptions = {
  /** γ in [0, 1], per turn. */
  readonly discount: number;
  /** Turns of a chunk, ≥ 1: rewards so far are seen, what comes after is the critic's word. */
  readonly chunk: number;
  /** Which action comes next: the stored one, or the best that the group's trajectories took in its state. */
  readonly next: "logged" | "best";
};

/** `td`: r + γ·Q(s′, a′) of each turn is what the critic is fitted to, less V(s) its advantage. */
export function temporalDifference(
  { discount, chunk, next }: TemporalDifferenceOptions = {
    discount: 1,
    chunk: 1,
    next: "logged",
  },
): AdvantagePart<"critic", "single"> {
  return advantagePart(
    "td",
    "single",
    (groups, { values, finalValues }) => {
      const advantages = new Map<string, TokenRows>();
      const returns = new Map<string, TokenRows>();
      for (const { trajectories } of groups) {
        const acted = trajectories.filter(({ trajectory }) => trajectory.role !== PROPOSAL);
        const valueAt = (
          { trajectory }: RewardedTrajectory,
          turn: JudgedTurn,
          token: number,
        ): number => values?.get(trajectory.id)?.[turn.sample]?.[token] ?? 0;
        const taken = new Map(
          acted.map((scored) => [
            scored,
            scored.trajectory.turns.map((turn) => valueAt(scored, turn, turn.end - 1)),
          ]),
        );
        const best = new Map<string, number>();
        for (const [{ trajectory }, ofTurns] of taken) {
          for (const [i, { state }] of trajectory.turns.entries()) {
            const value = ofTurns[i] as number;
            best.set(state, Math.max(value, best.get(state) ?? value));
          }
        }
        for (const [scored, ofTurns] of taken) {
          const { id, turns } = scored.trajectory;
          const ahead =
            next === "best" ? turns.map(({ state }) => best.get(state) as number) : ofTurns;
          const last = finalValues?.get(id)?.at(-1) ?? 0;
          const terminated = !wasCutOff(scored.trajectory);
          const targets = chunkTargets(turnRewards(scored), [...ahead, last], {
            ...{ discount, chunk, terminated },
          });
          const states = turns.map((turn) => valueAt(scored, turn, turn.start));
          advantages.set(
            id,
            overTurns(
              scored,
              targets.map((target, i) => target - (states[i] as number)),
            ),
          );
          returns.set(id, overTurns(scored, targets));
        }
      }
      return { advantages, returns };
    },
    { needs: ["critic"] },
  );
}

export type TdBcOptions = {
  /** Of the push by values against imitation; 2.5 is the published one. */
  readonly strength?: number;
  /** Of the critic's loss. Default 0.5. */
  readonly criticWeight?: number;
  /** Values of what the policy proposes are kept below those of what was done. Default not. */
  readonly conservative?:
    | {
        readonly coefficient: number;
        /** Only down to what the stored trajectory earned from there on. */
        readonly isCalibrated: boolean;
      }
    | undefined;
  /** How strongly a turn is imitated; default 1. `proposals` are what the policy would do in its state. */
  readonly constraintOf?: (
    scored: RewardedTrajectory,
    turn: number,
    proposals: readonly RewardedTrajectory[],
  ) => number;
};

/**
 * `td-bc`: the critic's TD loss, and imitation weighed by the advantages that follow from it; no weight is
 * below 0.
 */
export function tdBc({
  strength = 2.5,
  criticWeight = 0.5,
  conservative,
  constraintOf = () => 1,
}: TdBcOptions = {}): LossPart<"critic"> {
  return lossPart(
    "td-bc",
    (minibatch) => {
      const values = present(minibatch.values, "td-bc", "values of a critic");
      const targets = present(minibatch.returns, "td-bc", "targets of td");
      const lossMask = minibatch.lossMask.map((mask, b) =>
        minibatch.trajectories[b]?.trajectory.role === PROPOSAL ? mask.map(() => false) : mask,
      );
      const constraints = constraintRows(minibatch, constraintOf);
      const meanAbsolute = meanAbsoluteAdvantage({ ...minibatch, lossMask });
      // What was worse than expected is left alone: a push away from it would have no end.
      const advantages = minibatch.advantages.map((row, b) =>
        Float64Array.from(row, (advantage, t) =>
          strength === 0
            ? 0
            : Math.max(advantage, (-(constraints[b]?.[t] ?? 0) * meanAbsolute) / strength),
        ),
      );
      const losses = [
        behaviorConstrained({ ...minibatch, lossMask, advantages, constraints }, strength, {
          ...minibatch,
          meanAbsolute,
        }),
        scaleLoss(
          valueLoss({ lossMask, values, targets }, { form: "squared" }, minibatch),
          criticWeight,
        ),
      ];
      if (conservative !== undefined) {
        const choices = choicesOf(minibatch, conservative.isCalibrated);
        losses.push(conservativePenalty({ lossMask, values }, choices, conservative.coefficient));
      }
      return addLosses(...losses);
    },
    { needs: ["critic"], derivatives: ["logProb", "values"] },
  );
}

/** `ce`: of what the policy proposes in a stored state, the action that the critic values most. */
export function bestProposals(): LossPart<"critic"> {
  return lossPart(
    "ce",
    (minibatch) => {
      const values = present(minibatch.values, "ce", "values of a critic");
      const best = new Map<string, { readonly row: number; readonly value: number }>();
      for (const [row, scored] of minibatch.trajectories.entries()) {
        const { branch } = scored.trajectory;
        if (scored.trajectory.role !== PROPOSAL || branch === null) continue;
        const key = `${branch.trajectory}/${branch.turn}`;
        const value = values[row]?.[lastTokenOf(scored, minibatch.samples[row] ?? 0)] ?? 0;
        const known = best.get(key);
        if (known === undefined || value > known.value) best.set(key, { row, value });
      }
      const chosen = new Set(Array.from(best.values(), ({ row }) => row));
      const lossMask = minibatch.lossMask.map((mask, row) =>
        mask.map((counts) => counts && chosen.has(row)),
      );
      return supervisedLoss({ ...minibatch, lossMask });
    },
    { needs: ["critic"] },
  );
}

/** Proposals by the trajectory and turn that they leave, with their rows. */
function proposalsOf(
  { trajectories }: Minibatch,
  id: string,
  turn: number,
): { readonly scored: RewardedTrajectory; readonly row: number }[] {
  return trajectories.flatMap((scored, row) => {
    const { role, branch } = scored.trajectory;
    return role === PROPOSAL && branch?.trajectory === id && branch.turn === turn
      ? [{ scored, row }]
      : [];
  });
}

function constraintRows(
  minibatch: Minibatch,
  constraintOf: NonNullable<TdBcOptions["constraintOf"]>,
): Float64Array[] {
  return minibatch.lossMask.map((mask, b) => {
    const row = new Float64Array(mask.length);
    const scored = minibatch.trajectories[b] as RewardedTrajectory;
    for (const [i, { sample, start, end }] of scored.trajectory.turns.entries()) {
      if (sample !== minibatch.samples[b]) continue;
      const proposals = proposalsOf(minibatch, scored.trajectory.id, i);
      const strength = constraintOf(
        scored,
        i,
        proposals.map((proposal) => proposal.scored),
      );
      row.fill(strength, start, end);
    }
    return row;
  });
}

/** Stored actions, each beside what the policy would have done. */
function choicesOf(minibatch: Minibatch, isCalibrated: boolean): ActionChoice[] {
  return minibatch.trajectories.flatMap((scored, row) =>
    scored.trajectory.turns.flatMap(({ sample, end }, i): ActionChoice[] => {
      if (sample !== minibatch.samples[row]) return [];
      const proposals = proposalsOf(minibatch, scored.trajectory.id, i);
      if (proposals.length === 0) return [];
      const earned = turnRewards(scored).slice(i);
      return [
        {
          taken: { row, token: end - 1 },
          alternatives: proposals.map((proposal) => ({
            row: proposal.row,
            token: lastTokenOf(proposal.scored, minibatch.samples[proposal.row] ?? 0),
          })),
          ...(isCalibrated ? { referenceValue: earned.reduce((sum, r) => sum + r, 0) } : {}),
        },
      ];
    }),
  );
}

/** Of the last turn that a sample holds. */
function lastTokenOf({ trajectory }: RewardedTrajectory, sample: number): number {
  return (trajectory.turns.findLast((turn) => turn.sample === sample)?.end ?? 1) - 1;
}
