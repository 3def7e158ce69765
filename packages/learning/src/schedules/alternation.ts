/**
 * `alternate` and `role-swap`: what is updated, and who plays which role, changes with the step.
 *
 * Source: OPRL (process reward model and policy in turns), SIL (teacher and student), CORY (roles swap
 * every k updates).
 */
import { WaggleError } from "@waggle/protocol";
import { requireInside } from "../statistics.ts";

export type Phase<N extends string> = { readonly name: N; readonly steps: number };

/** The phase of a step, counted from 0: each phase for its steps, over and over. */
export function phaseAt<N extends string>(phases: readonly Phase<N>[], step: number): N {
  const period = phases.reduce((sum, { steps }) => sum + steps, 0);
  if (!(period > 0)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `phases must take at least one step, got ${JSON.stringify(phases).slice(0, 200)}; give one a number of steps`,
    );
  }
  const at = step % period;
  const ends = phases.map((_, i) =>
    phases.slice(0, i + 1).reduce((sum, { steps }) => sum + steps, 0),
  );
  return (phases[ends.findIndex((end) => at < end)] as Phase<N>).name;
}

/** Roles by member at a step: every `period` steps each takes the role of the next. */
export function rolesAt<M extends string>(
  members: readonly M[],
  roles: readonly string[],
  step: number,
  period: number,
): { readonly [member in M]: string } {
  requireInside("period", period, 1, Number.MAX_SAFE_INTEGER);
  requireInside("roles.length", roles.length, members.length, members.length);
  const shift = Math.floor(step / period);
  return Object.fromEntries(
    members.map((member, i) => [member, roles[(i + shift) % roles.length]]),
  ) as { [member in M]: string };
}
