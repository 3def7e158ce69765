/**
 * Carries a rollout plan out: trajectories in groups, by the plan's kind. It asks the policy and the
 * environments of one environment; what is learned from the trajectories is none of its business.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import {
  type JudgedGroup,
  type JudgedTrajectory,
  type RolloutPlan,
  toJudgedTrajectory,
} from "@waggle/learning";
import { isUnfinished } from "@waggle/learning/parts";
import type { Sampling, TaskReference, Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { inLanes } from "../rollouts/lanes.ts";
import { derivedSeed, seededRandom } from "../rollouts/random.ts";
import {
  type Around,
  changedEnvironment,
  retrying,
  told,
} from "../rollouts/changed-environment.ts";
import { turnOwners } from "../rollouts/divided-calls.ts";
import { demonstratedRollout } from "../rollouts/demonstrated-rollout.ts";
import { DEMONSTRATION_FORMS } from "./demonstration-forms.ts";
import {
  type ActingPolicy,
  type RolloutOptions,
  environmentRollout,
} from "../rollouts/environment-rollout.ts";
import type { RolloutReading, Reader } from "../rollouts/rollout-reading.ts";
import { readAgain } from "./read-again.ts";
import type { WorldModels } from "../rollouts/imagined-environment.ts";
import { type ActingRoles, roleRollout } from "../rollouts/role-policy.ts";
import { teamRollouts } from "./team-rollouts.ts";
import { proposedRollouts } from "./proposed-rollouts.ts";
import { rewardsOf } from "../rollouts/turn-rewards.ts";
import { loggedTrajectories } from "./logged-trajectories.ts";
import { withRetold } from "./retold-rollout.ts";
import { type GoOn, pivots, prefixes } from "./stored-starts.ts";
import { situatedRollouts } from "./situated-rollouts.ts";
import { type BegunRollout, searchedRollouts } from "./searched-rollouts.ts";
import { takeover } from "./taken-over.ts";
import { foldedTurns, introspective } from "./own-contexts.ts";
import { nameOf, taskOf } from "../rollouts/task-names.ts";

export type CollectParts = {
  readonly policy: ActingPolicy;
  readonly format: ChatFormat;
  readonly spec: EnvironmentSpec;
  readonly signal: AbortSignal;
  /** Who answers in a tool's place, for plans that simulate. */
  readonly worldModels?: WorldModels | undefined;
  /** Where others than the policy act too. */
  readonly roles?: ActingRoles | undefined;
  /** What rollouts are given to read; default nothing. */
  readonly reader?: Reader | undefined;
};

export type CollectOptions = {
  readonly sampling: Omit<Sampling, "seed">;
  readonly maxTurns?: number | undefined;
  /** Everything drawn depends on it and on the task's place. */
  readonly seed: number;
  /** Of a team's members, see `StepSettings`. */
  readonly roleShift?: number | undefined;
  /** Published versions since the weights that the policy now has. */
  readonly staleness: number;
};

/** Tokens after a turn's beginning whose entropy says how sure the policy is. */
const ENTROPY_TOKENS = 8;

/** @param stored earlier trajectories, for plans that go on from some; newest last. */
export async function collect(
  plan: RolloutPlan,
  tasks: readonly TaskReference[],
  stored: readonly JudgedTrajectory[],
  parts: CollectParts,
  options: CollectOptions,
): Promise<JudgedGroup[]> {
  const goOn: GoOn = (trajectory, place, how) =>
    rollout(parts, options, taskOf(trajectory), place, how);
  switch (plan.kind) {
    case "group":
      return byTask(tasks, async (task, at) => [
        ...(await many(plan.size, (i) => member(plan, parts, options, task, at, i))),
        ...(await many(plan.references ?? 0, async (i) => ({
          ...(await demonstration({ size: 1, mistakes: 0 }, parts, options.seed, task, at, i)),
          role: "reference",
        }))),
      ]);
    case "partial":
      return partial(plan, tasks, parts, options);
    case "demos":
      return byTask(tasks, async (task, at) => {
        const students = await many(plan.students ?? 0, (i) =>
          rollout(parts, options, task, [at, i], { role: "student" }),
        );
        const shown = await many(plan.size, (i) =>
          demonstration(plan, parts, options.seed, task, at, i),
        );
        return withRetold([...students, ...shown], plan, parts, task);
      });
    case "branch":
      return byTask(tasks, (task, at) => branches(plan, parts, options, task, at));
    case "tree":
      return byTask(tasks, async (task, at) => {
        const begun = (i: number) => (how: BegunRollout) =>
          rollout(parts, options, task, [at, i], how);
        const searched = await searchedRollouts(plan, nameOf(task), stored, begun);
        return withRetold(searched, plan, parts, task);
      });
    case "pivot":
      return pivots(plan.size, tasks.length, stored, options.seed, goOn);
    case "prefix":
      return prefixes(plan, tasks.length, stored, options.seed, goOn);
    case "folded":
      return byTask(tasks, async (task, at) => {
        const attempts = Array.from({ length: plan.size ?? 1 }, (_, i) =>
          foldedTurns(plan, parts, options, { task, place: i === 0 ? [at] : [at, i] }),
        );
        return (await Promise.all(attempts)).flat();
      });
    case "situated":
      return byTask(tasks, (task, at) => {
        const { spec, format, policy } = parts;
        const explore = (nth: number, sentence: string): Promise<JudgedTrajectory> =>
          rollout(parts, options, task, [at, nth], {
            role: "student",
            ...(sentence === "" ? {} : { around: told(sentence) }),
          });
        const around = { spec, format, contextLength: policy.contextLength, rollout: explore };
        return situatedRollouts(plan, around, task, derivedSeed(options.seed, at));
      });
    case "retry":
      return byTask(tasks, (task, at) =>
        many(plan.size, (i) =>
          plan.trials === undefined
            ? rollout(parts, options, task, [at, i], { around: retrying(plan.guidance) })
            : introspective(plan, plan.trials, parts, options, { task, place: [at, i] }),
        ),
      );
    case "log":
      return loggedTrajectories(plan, stored, tasks.length, options.seed, goOn, (trajectory, at) =>
        asRead(trajectory, parts.reader?.(at), parts),
      );
    case "takeover":
      return byTask(tasks, (task, at) =>
        many(plan.size, (i) => takenOver(plan, parts, options, task, [at, i])),
      );
    case "team":
      return byTask(tasks, (task, at) => teamRollouts(plan, parts, options, task, at));
    case "proposals":
      return byTask(tasks, (task, at) => proposedRollouts(plan, parts, options, task, at));
    case "noise":
    case "none":
      return [];
  }
}

/** Cut groups go on first, each rollout that was not at its end; new ones fill the rest of the step. */
async function partial(
  { size, turns, most, unfinished }: Extract<RolloutPlan, { kind: "partial" }>,
  tasks: readonly TaskReference[],
  parts: CollectParts,
  options: CollectOptions,
): Promise<JudgedGroup[]> {
  const goingOn = await inLanes(unfinished.length, async (at) => {
    const { task, trajectories } = unfinished[at] as JudgedGroup;
    const more = await many(trajectories.length, async (i) => {
      const trajectory = trajectories[i] as JudgedTrajectory;
      const { record } = trajectory;
      if (!isUnfinished(record, most)) return trajectory;
      const done = record.turns.length;
      const limited = { ...options, maxTurns: Math.min(most, done + turns) };
      return rollout(parts, limited, taskOf(trajectory), [at, i, done], {
        from: { trajectory: record, turns: done },
      });
    });
    return { task, trajectories: more };
  });
  const left = tasks.slice(0, Math.max(0, tasks.length - unfinished.length));
  const begun = await byTask(left, (task, at) =>
    many(size, (i) => rollout(parts, { ...options, maxTurns: turns }, task, [at, i])),
  );
  return [...goingOn, ...begun];
}

/** One trajectory of a group, in the environment that the plan has for it. */
function member(
  plan: Extract<RolloutPlan, { kind: "group" }>,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  at: number,
  i: number,
): Promise<JudgedTrajectory> {
  const mode = plan.modes?.[i % plan.modes.length] ?? null;
  const change = plan.environments?.[i % plan.environments.length] ?? null;
  const around: Around[] = mode === null ? [] : [told(mode)];
  const { spec, worldModels = {} } = parts;
  let { maxTurns } = options;
  if (change !== null) {
    const seeds = {
      taskSeed: derivedSeed(options.seed, at),
      seed: derivedSeed(options.seed, at, i),
    };
    around.push(changedEnvironment(change, { spec, task, worldModels, ...seeds }));
    if (change.kind === "trials") maxTurns = change.most * (maxTurns ?? spec.maxTurns);
  }
  return rollout(parts, { ...options, maxTurns }, task, [at, i], {
    mode,
    role: change?.kind === "toolless" ? "alone" : "policy",
    around: (instance) => around.reduce((changed, change) => change(changed), instance),
  });
}

/** Demonstrators, sentences and forms take turns. */
async function demonstration(
  plan: Omit<Extract<RolloutPlan, { kind: "demos" }>, "kind">,
  { spec, format, policy, roles }: CollectParts,
  seed: number,
  task: TaskReference,
  at: number,
  i: number,
): Promise<JudgedTrajectory> {
  const { size, mistakes, modes = [], forms = [], names = [], neighbors } = plan;
  const makers = typeof mistakes === "number" ? [mistakes] : mistakes;
  const maker = at * size + i;
  const mode = modes[(at + i) % modes.length] ?? null;
  const form = forms[i % forms.length] ?? "task";
  const { trajectory, verification } = await demonstratedRollout(
    DEMONSTRATION_FORMS[form](spec),
    neighbors === true
      ? spec.reference(derivedSeed(seed, at, i, 0x4e), "train", spec.levelOf(task))
      : task,
    format,
    {
      random: seededRandom(seed, at, i),
      mistakes: makers[maker % makers.length] ?? 0,
      contextLength: policy.contextLength,
      ...(mode === null ? {} : { around: told(mode) }),
    },
  );
  const role = names[maker % names.length] ?? (form === "task" ? "policy" : form);
  return toJudgedTrajectory(trajectory, verification, {
    mode,
    role,
    ...turnOwners(roles, trajectory),
    ...rewardsOf(trajectory, verification),
  });
}

async function byTask(
  tasks: readonly TaskReference[],
  run: (task: TaskReference, at: number) => Promise<JudgedTrajectory[]>,
): Promise<JudgedGroup[]> {
  return inLanes(tasks.length, async (at) => {
    const task = tasks[at] as TaskReference;
    return { task: nameOf(task), trajectories: await run(task, at) };
  });
}

async function many(
  count: number,
  run: (i: number) => Promise<JudgedTrajectory>,
): Promise<JudgedTrajectory[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => run(i)));
}

async function rollout(
  parts: CollectParts,
  { sampling, maxTurns, seed, staleness }: CollectOptions,
  task: TaskReference,
  place: readonly number[],
  more: Partial<RolloutOptions> & Partial<Pick<JudgedTrajectory, "branch" | "role" | "mode">> = {},
): Promise<JudgedTrajectory> {
  const { format, reader, roles, signal } = parts;
  const { branch = null, role = "policy", mode = null, ...rolloutOptions } = more;
  const { policy, spec } =
    roles === undefined ? parts : roleRollout(roles, parts.policy, parts.spec, task, role);
  const reading = reader?.(place[0] ?? 0) ?? null;
  const { record: trajectory, verification } = await environmentRollout(
    policy,
    format,
    spec,
    task,
    {
      ...{ sampling, maxTurns, seed: derivedSeed(seed, ...place), ...rolloutOptions },
      guide: reading?.guide,
    },
    signal,
  );
  return toJudgedTrajectory(trajectory, verification, {
    read: reading?.before() ?? null,
    ...turnOwners(roles, trajectory),
    staleness,
    branch,
    role,
    mode,
    ...rewardsOf(trajectory, verification),
  });
}

/** Whole trajectories first; then branches at the turns that the plan picks, until the group is full. */
async function branches(
  plan: Extract<RolloutPlan, { kind: "branch" }>,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  at: number,
): Promise<JudgedTrajectory[]> {
  const trajectories = await many(Math.min(plan.whole, plan.size), (i) =>
    rollout(parts, options, task, [at, i]),
  );
  const random = seededRandom(options.seed, at, 0xb4a);
  let inARow = 0;
  for (const root of trajectories.slice()) {
    const entropies = turnEntropies(root.record);
    for (let turn = 1; turn < entropies.length && trajectories.length < plan.size; turn += 1) {
      if (!plan.branchAt(entropies.slice(0, turn + 1), inARow, random)) {
        inARow = 0;
        continue;
      }
      inARow += 1;
      trajectories.push(
        await rollout(parts, options, task, [at, trajectories.length], {
          from: { trajectory: root.record, turns: turn },
          branch: { trajectory: root.id, turn },
        }),
      );
    }
  }
  // What found no place to branch is spent on whole trajectories.
  while (trajectories.length < plan.size) {
    trajectories.push(await rollout(parts, options, task, [at, trajectories.length]));
  }
  return trajectories;
}

/** A stored trajectory, said again where its stage gives something to read. */
async function asRead(
  trajectory: JudgedTrajectory,
  reading: RolloutReading | undefined,
  { spec, format, policy }: CollectParts,
): Promise<JudgedTrajectory> {
  if (reading === undefined) return trajectory;
  return readAgain(trajectory, reading, spec, format, policy.contextLength);
}

/** Rollouts in which a person steps in where the plan says. */
async function takenOver(
  plan: Extract<RolloutPlan, { kind: "takeover" }>,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  place: readonly number[],
): Promise<JudgedTrajectory> {
  const { spec, format, policy } = parts;
  const seed = derivedSeed(options.seed, ...place);
  const { actors, around, policy: shared } = await takeover(plan, spec, task, format, seed);
  const taken = { ...parts, policy: shared(policy) };
  return { ...(await rollout(taken, options, task, place, { around })), actors };
}

/** `[turns]` mean entropy of the first tokens of each turn, in nats. */
function turnEntropies({ turns, segments }: Trajectory): number[] {
  return turns.map(({ segmentId }) => {
    const segment = segments.find(({ id }) => id === segmentId);
    const first = segment?.kind === "sampled" ? segment.entropies.slice(0, ENTROPY_TOKENS) : [];
    return first.reduce((sum, entropy) => sum + entropy, 0) / Math.max(1, first.length);
  });
}
