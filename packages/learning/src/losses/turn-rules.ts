/** Rules for the turns that a loss counts, given as a function or by name. */
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import type { PartOption } from "../composition/part-options.ts";
import type { Minibatch, RewardedTrajectory } from "../composition/part.ts";
import type { LossMask } from "../token-rows.ts";

/** Whether a loss counts this turn. */
export type TurnRule = (turn: JudgedTurn, trajectory: JudgedTrajectory) => boolean;

type Rule = "all" | "ran" | "right" | "last";

/** `ran`: no call failed. `right`: no call failed and the turn parsed. */
const RULES: { readonly [name in Rule]: TurnRule } = {
  all: () => true,
  ran: ({ toolResults }) => toolResults.every(({ ok }) => ok),
  right: ({ parseError, toolResults }) => parseError === null && toolResults.every(({ ok }) => ok),
  last: (turn, { turns }) => turn === turns.at(-1),
};

/** `chosen` is the rule that the recipe gave. */
type RuleChoice = Rule | "chosen";

/** An open option: the recipe's own rule, if it gave one, else the default. */
export function turnOption(
  chosen: TurnRule | undefined,
  defaultRule: Rule,
): PartOption<RuleChoice> {
  const names = Object.keys(RULES) as Rule[];
  return {
    value: chosen === undefined ? defaultRule : "chosen",
    isOpen: true,
    choices: chosen === undefined ? names : ["chosen", ...names],
  };
}

/** The rule of that name. */
export function turnRule(choice: RuleChoice, chosen?: TurnRule): TurnRule {
  return choice === "chosen" ? (chosen ?? RULES.all) : RULES[choice];
}

/** The loss mask restricted to the turns that a rule selects. */
export function ofTurns(minibatch: Minibatch, isWanted: TurnRule): LossMask {
  return minibatch.lossMask.map((mask, row) => {
    const { trajectory } = minibatch.trajectories[row] as RewardedTrajectory;
    const wanted = trajectory.turns.filter(
      (turn) => turn.sample === minibatch.samples[row] && isWanted(turn, trajectory),
    );
    return mask.map(
      (counts, t) => counts && wanted.some(({ start, end }) => t >= start && t < end),
    );
  });
}
