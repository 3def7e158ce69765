/**
 * Replaces an environment's tasks by tasks of other environments, for a general training phase before the
 * specific one.
 *
 * Source: AgentScaler (environments of many domains first, then one domain). Differs from it: the environments
 * are those of this package, drawn by seed.
 */
import type { TaskReference } from "@waggle/protocol";
import type { EnvironmentSpec } from "../environment-spec.ts";

/**
 * The environment with tasks drawn from other environments.
 *
 * @param others - environments to draw from, without the environment itself.
 */
export function elsewhere(
  spec: EnvironmentSpec,
  others: readonly EnvironmentSpec[],
): EnvironmentSpec {
  const draw = ({ seed, split }: TaskReference): [EnvironmentSpec, TaskReference] => {
    // The seed modulo the levels is the level, so the quotient chooses the environment.
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
