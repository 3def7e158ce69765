/** One rollout of the policy or of a role, changed as a rollout strategy asks. */
import {
  type EnvironmentRollout,
  environmentRollout,
  introspectiveRollout,
  roleRollout,
  takeover,
} from "@waggle/agent/environments";
import { type EnvironmentWrapper, told } from "@waggle/environments";
import {
  type JudgedTrajectory,
  type ReadBefore,
  type RolloutChanges,
  toJudgedTrajectory,
} from "@waggle/learning";
import { derivedSeed, type TaskReference } from "@waggle/protocol";
import { changedEnvironment } from "./changed-environment.ts";
import { turnOwners } from "./divided-calls.ts";
import type { DriverOptions, DriverParts } from "./driver-parts.ts";
import { rewardsOf } from "./turn-rewards.ts";

/** A rollout, and what it read. */
export type ReadingRollout = EnvironmentRollout & { readonly read: ReadBefore | null };

/** One rollout as a trajectory. `parts.spec` is the environment in the form that the rollout gets. */
export async function policyRollout(
  parts: DriverParts,
  options: DriverOptions,
  task: TaskReference,
  place: readonly number[],
  changes: RolloutChanges = {},
): Promise<JudgedTrajectory> {
  const { introspection, takeover: rule } = changes;
  const { spec, format, policy, signal } = parts;
  const seed = derivedSeed(options.seed, ...place);
  if (introspection !== undefined) {
    const given = { ...options, seed };
    const rollout = await introspectiveRollout(parts, introspection, task, given, signal);
    const { record, verification, turnRewards } = rollout;
    return toJudgedTrajectory(record, verification, { staleness: options.staleness, turnRewards });
  }
  if (rule === undefined) {
    const rollout = await readingRollout(parts, options, task, place, changes);
    return trajectoryOf(rollout, parts, options, changes);
  }
  const person = await takeover(rule, spec, task, format, seed);
  const shared = { ...parts, policy: person.policy(policy) };
  const rollout = await readingRollout(shared, options, task, place, changes, person.around);
  return { ...trajectoryOf(rollout, parts, options, changes), actors: person.actors };
}

/** @param around - the outermost wrapper of the environment */
export async function readingRollout(
  parts: DriverParts,
  options: DriverOptions,
  task: TaskReference,
  place: readonly number[],
  changes: RolloutChanges,
  around: EnvironmentWrapper = (instance) => instance,
): Promise<ReadingRollout> {
  const { format, reader, roles, signal, spec } = parts;
  const { role = "policy", readsAs, environment, from } = changes;
  const spoken = roles === undefined ? parts : roleRollout(roles, parts.policy, spec, task, role);
  const reading = reader?.(place[0] ?? 0, readsAs) ?? null;
  const wrappers = [...wrappersOf(parts, options, task, place, changes), around];
  const trials = environment?.kind === "trials" ? environment.most : 1;
  const limit = trials === 1 ? options.maxTurns : trials * (options.maxTurns ?? spec.maxTurns);
  const rollout = await environmentRollout(
    spoken.policy,
    format,
    spoken.spec,
    task,
    {
      sampling: options.sampling,
      maxTurns: changes.maxTurns ?? limit,
      seed: derivedSeed(options.seed, ...place),
      from,
      around: (instance) => wrappers.reduce((changed, wrapper) => wrapper(changed), instance),
      guide: reading?.guide,
    },
    signal,
  );
  return { ...rollout, read: reading?.before() ?? null };
}

/** The trajectory of a rollout. */
export function trajectoryOf(
  { record, verification, read }: ReadingRollout,
  { roles }: Pick<DriverParts, "roles">,
  { staleness }: Pick<DriverOptions, "staleness">,
  { branch = null, role = "policy", mode = null }: RolloutChanges,
): JudgedTrajectory {
  return toJudgedTrajectory(record, verification, {
    read,
    ...turnOwners(roles, record),
    staleness,
    branch,
    role,
    mode,
    ...rewardsOf(record, verification),
  });
}

function wrappersOf(
  { spec, worldModels = {} }: DriverParts,
  { seed }: DriverOptions,
  task: TaskReference,
  place: readonly number[],
  { told: sentence, mode, environment }: RolloutChanges,
): EnvironmentWrapper[] {
  const sentences = [sentence, mode].filter((one) => one !== undefined && one !== null);
  const change =
    environment === undefined || environment === null
      ? []
      : [
          changedEnvironment(environment, {
            spec,
            task,
            worldModels,
            taskSeed: derivedSeed(seed, ...place.slice(0, 1)),
            seed: derivedSeed(seed, ...place),
          }),
        ];
  return [...sentences.map(told), ...change];
}
