/**
 * Tasks of other families under a family's seeds: a general phase in many environments before one's own.
 *
 * Source: AgentScaler (environments of many domains first, then one domain). Differs from it: the environments are
 * those of this package, drawn by seed.
 */
import type { TaskReference } from "@waggle/protocol";
import type { TaskFamily } from "../task-family.ts";

/** @param others environments to draw from, the family itself not among them. */
export function elsewhere(family: TaskFamily, others: readonly TaskFamily[]): TaskFamily {
  const draw = ({ seed, split }: TaskReference): [TaskFamily, TaskReference] => {
    // A seed modulo the levels is its level, which says nothing of the environment.
    const place = Math.floor(seed / family.levels);
    const other = others[place % others.length] as TaskFamily;
    const rest = Math.floor(place / others.length);
    return [other, other.reference(rest, split, rest % other.levels)];
  };
  const there =
    <T>(use: (other: TaskFamily, reference: TaskReference) => T) =>
    (reference: TaskReference): T =>
      use(...draw(reference));
  return {
    ...family,
    maxTurns: Math.max(...others.map(({ maxTurns }) => maxTurns)),
    task: there((other, reference) => other.task(reference)),
    create: there((other, reference) => other.create(reference)),
    demonstrator: (reference, random, mistakes) =>
      there((other, own) => other.demonstrator(own, random, mistakes))(reference),
  };
}
