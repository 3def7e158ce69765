/** Runs the lists and generators of turns of a definition as demonstrators, with and without mistakes. */
import type { DemonstratedAction, Demonstrator } from "@waggle/environments";
import { type Observation, type RandomSource, WaggleError } from "@waggle/protocol";
import type { DefinedCall, DefinedTurn, DefinedTurns, SeenResult } from "./definition.ts";
import { shown } from "../../tools/shown-value.ts";

/** What a demonstrator says that lost its way after a mistake. */
const GAVE_UP = "I could not do that.";
const SILENT: DemonstratedAction = { text: "", calls: [] };

/** Turns to take, and how errors name them: `demonstrate of "desk" at seed 3, train, level 0`. */
export type TurnSource = { readonly turns: () => DefinedTurns; readonly place: string };

/** Mistakes of a demonstrator. */
export type Mistakes = {
  readonly random: RandomSource;
  /** Probability of a wrong turn, in [0, 1]. */
  readonly rate: number;
  /** The turns of another task. */
  readonly other: TurnSource;
  /** A wrong turn; absent = the turn of the other task. */
  readonly wrong?: ((turn: DefinedTurn) => DefinedTurn) | undefined;
};

/**
 * Takes the turns one after the other; a silent turn follows the last.
 *
 * @throws WaggleError `INVALID_ARGUMENT` naming the place, if the author's code throws or gives no turn.
 */
export function scriptedDemonstrator(source: TurnSource): Demonstrator {
  const next = turnsOf(source);
  return (observation) => actionOf(next(observation) ?? "");
}

/** As `scriptedDemonstrator`, with mistakes. After one, an error of the author's code ends the task. */
export function erringDemonstrator(source: TurnSource, mistakes: Mistakes): Demonstrator {
  const { random, rate, other, wrong } = mistakes;
  const next = turnsOf(source);
  const nextOther = orNull(turnsOf(other));
  let hasErred = false;
  return (observation) => {
    const right = hasErred ? orNull(next)(observation) : next(observation);
    const elsewhere = nextOther(observation);
    if (right === null) return hasErred ? { text: GAVE_UP, calls: [] } : SILENT;
    if (random() >= rate) return actionOf(right);
    hasErred = true;
    return actionOf(asJson(wrong?.(right) ?? elsewhere ?? right));
  };
}

type NextTurn = (observation: Observation | null) => DefinedTurn | null;

/** Gives the next turn; `null` after the last. */
function turnsOf({ turns, place }: TurnSource): NextTurn {
  let iterator: Iterator<DefinedTurn, unknown, SeenResult> | null = null;
  let hasEnded = false;
  return (observation) => {
    if (hasEnded) return null;
    let given: unknown;
    try {
      iterator ??= turns()[Symbol.iterator]();
      const { done = false, value } = iterator.next(seenOf(observation));
      hasEnded = done;
      given = isTurn(value) ? asJson(value) : value;
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new WaggleError("INVALID_ARGUMENT", `${place} failed: ${message.slice(0, 300)}`, {
        cause,
      });
    }
    if (isTurn(given)) return given;
    if (hasEnded) return null;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${place} gave ${shown(given)} as a turn; write a text, [tool, arguments], or a list of such calls`,
    );
  };
}

function orNull(next: NextTurn): NextTurn {
  let hasFailed = false;
  return (observation) => {
    if (hasFailed) return null;
    try {
      return next(observation);
    } catch {
      hasFailed = true;
      return null;
    }
  };
}

function seenOf(observation: Observation | null): SeenResult {
  const results = observation?.toolResults ?? [];
  const [first] = results;
  return {
    results,
    value: first?.ok === true ? first.value : null,
    userMessage: observation?.userMessage,
  };
}

function isTurn(value: unknown): value is DefinedTurn {
  if (typeof value === "string" || isCall(value)) return true;
  return Array.isArray(value) && value.length > 0 && value.every(isCall);
}

function isCall(value: unknown): value is DefinedCall {
  return Array.isArray(value) && typeof value[0] === "string" && !Array.isArray(value[1]);
}

/** The turn as a model could have written it, in each runtime: without members that are undefined. */
function asJson(turn: DefinedTurn): DefinedTurn {
  return JSON.parse(JSON.stringify(turn)) as DefinedTurn;
}

function actionOf(turn: DefinedTurn): DemonstratedAction {
  if (typeof turn === "string") return { text: turn, calls: [] };
  const calls = isCall(turn) ? [turn] : turn;
  return { text: "", calls: calls.map(([name, args = {}]) => ({ name, arguments: { ...args } })) };
}
