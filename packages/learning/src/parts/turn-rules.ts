/** Which turns of a rollout carry loss, by a word that a setting may say. */
import type { Dial } from "../composition/making.ts";
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";

export type TurnRule = (turn: JudgedTurn, trajectory: JudgedTrajectory) => boolean;

type Rule = "all" | "ran" | "right" | "last";

/** `ran`: none of its calls failed. `right`: it could be read too. */
const RULES: { readonly [name in Rule]: TurnRule } = {
  all: () => true,
  ran: ({ toolResults }) => toolResults.every(({ ok }) => ok),
  right: ({ parseError, toolResults }) => parseError === null && toolResults.every(({ ok }) => ok),
  last: (turn, { turns }) => turn === turns.at(-1),
};

/** `chosen`: what the recipe gave. */
export type TurnWord = Rule | "chosen";

/** Open: the recipe's own rule, or else the standard. */
export function turnDial(chosen: TurnRule | undefined, standard: Rule): Dial<TurnWord> {
  const words = Object.keys(RULES) as Rule[];
  return {
    value: chosen === undefined ? standard : "chosen",
    isOpen: true,
    choices: chosen === undefined ? words : ["chosen", ...words],
  };
}

export function turnRule(word: TurnWord, chosen?: TurnRule): TurnRule {
  return word === "chosen" ? (chosen ?? RULES.all) : RULES[word];
}
