/**
 * `team`: who acts when in an episode of several roles, and whose tokens train. A frozen role's tokens
 * are context for the others.
 *
 * Source: MARFT (flexible order), CORY (pioneer and observer), MAGRPO (at the same time).
 */
import { WaggleError } from "@waggle/protocol";

export type TeamOrder =
  /** One after the other; each sees those before it. */
  | { readonly kind: "sequence"; readonly roles: readonly string[] }
  /** All at once; none sees the others of its round. */
  | { readonly kind: "simultaneous"; readonly roles: readonly string[] }
  /** By rounds as listed; a role may act in several. */
  | { readonly kind: "rounds"; readonly rounds: readonly (readonly string[])[] };

export type TeamTurn = {
  readonly role: string;
  readonly round: number;
  /** Indices of earlier turns that this role sees. */
  readonly sees: readonly number[];
};

/** Turns of `rounds` rounds, in an order that can be carried out one by one. */
export function teamTurns(order: TeamOrder, rounds: number): TeamTurn[] {
  const turns: TeamTurn[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const acting = order.kind === "rounds" ? (order.rounds[round] ?? []) : order.roles;
    const before = turns.length;
    for (const role of acting) {
      const seen = order.kind === "sequence" ? turns.length : before;
      turns.push({ role, round, sees: Array.from({ length: seen }, (_, i) => i) });
    }
  }
  return turns;
}

/**
 * `[T]` the mask of one role's update: its own tokens alone.
 *
 * @param owners - `[T]` role that sampled each token, `null` for a given one.
 * @throws WaggleError `INVALID_ARGUMENT` for a role that acts nowhere: it would train on nothing.
 */
export function roleMask(owners: readonly (string | null)[], role: string): boolean[] {
  if (!owners.includes(role)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a role must own a token, got none of ${owners.length} for ${role.slice(0, 64)}; train the roles that act`,
    );
  }
  return owners.map((owner) => owner === role);
}
