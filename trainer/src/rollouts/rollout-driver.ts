/** Runs what rollout strategies ask for: it has the policy, the environment, and the tokens of a step. */
import { finalTextOf } from "@waggle/agent";
import type { ActingRoles } from "@waggle/agent/environments";
import { proposalsOf, TASK_FORMS } from "@waggle/environments";
import type {
  JudgedGroup,
  JudgedTrajectory,
  RolloutDriver,
  RolloutStrategy,
} from "@waggle/learning";
import { taskName } from "@waggle/learning";
import { derivedSeed, type TaskReference } from "@waggle/protocol";
import { demonstration } from "./demonstration.ts";
import type { DriverOptions, DriverParts } from "./driver-parts.ts";
import { foldedTurns } from "./folded-turns.ts";
import { inLanes } from "./lanes.ts";
import { policyRollout } from "./policy-rollout.ts";
import { readAgain } from "./read-again.ts";
import { retoldRollout } from "./retold-rollout.ts";
import { teamRollout } from "./team-rollout.ts";

/** The groups of one step. Does not choose which of them are learned. */
export function rolledOut(
  strategy: RolloutStrategy,
  tasks: readonly TaskReference[],
  stored: readonly JudgedTrajectory[],
  parts: DriverParts,
  options: DriverOptions,
): Promise<readonly JudgedGroup[]> {
  return strategy.rollOut(rolloutDriver(tasks, stored, parts, options));
}

/** @param stored - trajectories of earlier steps, newest last */
export function rolloutDriver(
  tasks: readonly TaskReference[],
  stored: readonly JudgedTrajectory[],
  parts: DriverParts,
  options: DriverOptions,
): RolloutDriver {
  const { spec, format, policy, reader, roles, lost } = parts;
  const { contextLength } = policy;
  return {
    tasks,
    stored,
    seed: options.seed,
    roleShift: options.roleShift ?? 0,
    roles: roles === undefined ? null : drivenRoles(roles),
    inLanes,
    byTask: (run, of = tasks) =>
      inLanes(of.length, async (at) => {
        const task = of[at] as TaskReference;
        try {
          return { task: taskName(task), trajectories: await run(task, at) };
        } catch (error) {
          if (lost === undefined) throw error;
          lost.add(error);
          return { task: taskName(task), trajectories: [] };
        }
      }),
    alike: (count, run) => alike(parts, count, run),
    rollOut: (task, place, changes = {}) =>
      policyRollout(
        { ...parts, spec: TASK_FORMS[changes.form ?? "task"](spec) },
        options,
        task,
        place,
        changes,
      ),
    demonstrate: (task, given) => demonstration(parts, task, given),
    rollOutTogether: (task, place, members) => teamRollout(parts, options, task, place, members),
    rollOutFolded: (task, place, given) =>
      foldedTurns(given, parts, { ...options, seed: derivedSeed(options.seed, ...place) }, task),
    solver: (proposal, task, form) => {
      const { solver } = proposalsOf(spec, form === "documented-proposal");
      const proposed = solver(finalTextOf(proposal.record, format) ?? "", task);
      if (proposed === null) return null;
      return (place, changes) =>
        policyRollout({ ...parts, spec: proposed }, options, task, place, changes);
    },
    retell: (task, trajectories, retelling) =>
      retoldRollout(retelling, trajectories, spec, task, format, contextLength),
    readAgain: async (trajectory, at) => {
      const reading = reader?.(at);
      if (reading === undefined) return trajectory;
      return readAgain(trajectory, reading, spec, format, contextLength);
    },
    neighbor: (task, seed) => spec.reference(seed, "train", spec.levelOf(task)),
    finalText: (record) => finalTextOf(record, format),
  };
}

function drivenRoles({ adapters, deploys }: ActingRoles): RolloutDriver["roles"] {
  return { hasAdapter: (role) => adapters.has(role), deploys: deploys ?? null };
}

/**
 * Finished rollouts of a group with interchangeable members; rejects with the first error if fewer
 * than two finished.
 */
async function alike(
  { lost }: Pick<DriverParts, "lost">,
  count: number,
  run: (i: number) => Promise<JudgedTrajectory>,
): Promise<JudgedTrajectory[]> {
  const ended = await Promise.allSettled(Array.from({ length: count }, (_, i) => run(i)));
  const complete = ended.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const errors = ended.flatMap((each) =>
    each.status === "rejected" ? [each.reason as unknown] : [],
  );
  if (errors.length > 0 && (lost === undefined || complete.length < 2)) throw errors[0];
  for (const error of errors) lost?.add(error);
  return complete;
}
