/**
 * Tasks of other environments under an environment's seeds: a general phase in many environments before one's own.
 *
 * Source: AgentScaler (environments of many domains first, then one domain). Differs from it: the environments are
 * those of this package, drawn by seed.
 */
import type { TaskReference } from "@waggle/protocol";
import type { EnvironmentSpec } from "../environment-spec.ts";

/** @param others environments to draw from, the environment itself not among them. */
export function elsewhere(
  spec: EnvironmentSpec,
  others: readonly EnvironmentSpec[],
): EnvironmentSpec {
  const draw = ({ seed, split }: TaskReference): [EnvironmentSpec, TaskReference] => {
    // A seed modulo the levels is its level, which says nothing of the environment.
    const place = Math.floor(seed / spec.levels);
    const other = others[place % others.length] as EnvironmentSpec;
    const rest = Math.floor(place / others.length);
    return [other, other.reference(rest, split, rest % other.levels)];
  };
  const there =
    <T>(use: (other: EnvironmentSpec, reference: TaskReference) => T) =>
    (reference: TaskReference): T =>
      use(...draw(reference));
  return {
    ...spec,
    maxTurns: Math.max(...others.map(({ maxTurns }) => maxTurns)),
    task: there((other, reference) => other.task(reference)),
    create: there((other, reference) => other.create(reference)),
    demonstrator: (reference, random, mistakes) =>
      there((other, own) => other.demonstrator(own, random, mistakes))(reference),
  };
}
