/**
 * `exec`: what was asked of the world ran. Later failures score above earlier ones where stages are
 * known: a program that loads and fails at submit is better than one that does not load.
 *
 * Source: SPA-RL (executability signal), QUASAR, OpenGame (stages of an artefact).
 */
import { requireInside } from "../statistics.ts";
import type { TurnRecord } from "./turn-record.ts";

/** Share of calls that ran, in [0, 1]; 1 where none was made. */
export function executionReward(turns: readonly TurnRecord[]): number {
  const results = turns.flatMap(({ toolResults }) => toolResults);
  if (results.length === 0) return 1;
  return results.filter(({ ok }) => ok).length / results.length;
}

/** Per turn: 1 where all its calls ran, else 0; a turn without calls and parse error is 1. */
export function executableTurns(turns: readonly TurnRecord[]): number[] {
  return turns.map(({ toolResults, parseError }) =>
    parseError === null && toolResults.every(({ ok }) => ok) ? 1 : 0,
  );
}

/**
 * Share of the stages of an artefact that passed before the first that failed.
 *
 * @param stages - in order: parse, load, run, submit.
 */
export function stageReward(stages: readonly boolean[]): number {
  requireInside("stages.length", stages.length, 1, Number.MAX_SAFE_INTEGER);
  const failed = stages.indexOf(false);
  return (failed < 0 ? stages.length : failed) / stages.length;
}
