/**
 * `opponents`: past checkpoints with the learner's win rate against each. Harder opponents are drawn more
 * often, so that an old weakness cannot return unnoticed.
 *
 * Source: Vinyals et al. 2019, "AlphaStar" (prioritized fictitious self-play); SPIN, arXiv:2401.01335
 * (the previous checkpoint alone).
 */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { StatePart } from "../composition/state.ts";
import { drawWeighted } from "../draw.ts";
import { requireInside } from "../statistics.ts";

type Opponent = {
  /** Policy version. */
  readonly version: string;
  readonly games: number;
  /** The learner's wins; a tie counts half. */
  readonly wins: number;
};

/** Past checkpoints with the learner's win rate against each, at most `capacity` of them. */
export type OpponentPool = { readonly capacity: number; readonly opponents: readonly Opponent[] };

export function opponentPool(capacity: number): OpponentPool {
  return { capacity, opponents: [] };
}

/** Adds a checkpoint; beyond the capacity, drops the most beaten one, but never the new one. */
export function addOpponent(pool: OpponentPool, version: string): OpponentPool {
  const opponents = [...pool.opponents, { version, games: 0, wins: 0 }];
  if (opponents.length <= pool.capacity) return { ...pool, opponents };
  const old = opponents.slice(0, -1);
  const easiest = old.reduce((a, b) => (winRate(b) > winRate(a) ? b : a));
  return { ...pool, opponents: opponents.filter((opponent) => opponent !== easiest) };
}

/** Records a game: 1 for the learner's win, 0.5 for a tie, 0 for a loss. */
export function recordGame(pool: OpponentPool, version: string, result: number): OpponentPool {
  requireInside("result", result, 0, 1);
  return {
    ...pool,
    opponents: pool.opponents.map((opponent) =>
      opponent.version === version
        ? { ...opponent, games: opponent.games + 1, wins: opponent.wins + result }
        : opponent,
    ),
  };
}

/**
 * Draws an opponent with probability proportional to (1 − win rate)^hardness; a hardness of 0 is uniform.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an empty pool.
 */
export function drawOpponent(
  pool: OpponentPool,
  random: () => number,
  hardness: number = 2,
): string {
  const weights = pool.opponents.map((opponent) => (1 - winRate(opponent)) ** hardness);
  const [chosen] = drawWeighted(weights, 1, random);
  if (chosen === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "the opponent pool is empty; add the first checkpoint before self-play begins",
    );
  }
  return (pool.opponents[chosen] as Opponent).version;
}

/** Smoothed win rate, (wins + 1)/(games + 2). */
function winRate({ wins, games }: Opponent): number {
  return (wins + 1) / (games + 2);
}

/** `opponents`: past checkpoints, with a new one at each start of the stage; the roles `names` play them. */
export function opponents(
  capacity?: number,
  names: readonly string[] = ["opponent"],
): StatePart<"opponents"> {
  return definePart(
    { opponentsCapacity: option(capacity, 4) },
    ({ opponentsCapacity: capacity }) => ({
      slot: "state",
      part: "opponents",
      initial: () => opponentPool(capacity),
      roles: { names, learn: [] },
    }),
  );
}
