/**
 * Joint rollouts of several roles at one task: in one shared environment, or one after the other.
 * Each role has its own conversation and trajectory; `joint` links the trajectories of one rollout.
 */
import type { Judgement, EnvironmentSpec } from "@waggle/environments";
import { type JudgedTrajectory, type ReadBefore, toJudgedTrajectory } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import { finalTextOf } from "../rollouts/final-text.ts";
import { derivedSeed } from "@waggle/protocol";
import { type EnvironmentWrapper, told } from "@waggle/environments";
import { byTask } from "./single-rollout.ts";
import type { CollectOptions, CollectParts, PlanOf, RolloutStrategy } from "./strategy.ts";
import { type EnvironmentRollout, environmentRollout } from "../rollouts/environment-rollout.ts";
import { roleRollout } from "../rollouts/role-policy.ts";
import { SharedEnvironment } from "@waggle/environments";
import { rewardsOf } from "../rollouts/turn-rewards.ts";

type TeamPlan = PlanOf<"team">;

type RoleRollout = EnvironmentRollout & { readonly read: ReadBefore | null };

type Team = {
  readonly plan: TeamPlan;
  /** The member in each role's place; members change places if the stage swaps roles. */
  readonly members: readonly string[];
  readonly parts: CollectParts;
  readonly options: CollectOptions;
  readonly task: TaskReference;
};

export const teams: RolloutStrategy<TeamPlan> = {
  compared: ({ size }) => size,
  opponent: ({ opponent }) => opponent ?? null,
  collect: (plan, { tasks, parts, options }) =>
    byTask(parts, tasks, (task, at) => teamRollouts(plan, parts, options, task, at)),
  rollOutHeldOut: (plan, { task, place, parts, options }) => {
    if (!isDeployed(plan, parts)) return null;
    // The role that acts last gives the team's answer.
    return teamRollouts({ ...plan, size: 1 }, parts, options, task, place).then(
      (members) => members.at(-1) as JudgedTrajectory,
    );
  },
};

/**
 * Whether held-out tasks are rolled out by the whole team: only if every member has its own
 * adapter. Sides of a match, members that are all the policy, and a role that the recipe deploys
 * are evaluated alone.
 */
function isDeployed({ how, roles: members }: TeamPlan, { roles }: CollectParts): boolean {
  return (
    how !== "apart" &&
    roles !== undefined &&
    roles.deploys === undefined &&
    members.every((member) => roles.adapters.has(member))
  );
}

/**
 * `[size · roles]` trajectories; those of a joint rollout are adjacent, in the order of the roles.
 */
async function teamRollouts(
  plan: TeamPlan,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  at: number,
): Promise<JudgedTrajectory[]> {
  const { roles } = plan;
  const { roleShift = 0 } = options;
  const members = roles.map((_, i) => roles[(i + roleShift) % roles.length] as string);
  const team = { plan, members, parts, options, task };
  const run = plan.how === "together" ? together : relay;
  const joint = Array.from({ length: plan.size }, (_, i) => run(team, [at, i]));
  return (await Promise.all(joint)).flat();
}

async function together(team: Team, place: readonly number[]): Promise<JudgedTrajectory[]> {
  const { plan, members, parts, task } = team;
  const shared = new SharedEnvironment(parts.spec.create(task), plan.roles);
  const rollouts = await Promise.all(
    plan.roles.map(async (role, r) => {
      const spec = { ...parts.spec, create: () => shared.view(role) };
      try {
        return await rollout(team, spec, role, members[r] as string, [...place, r], []);
      } finally {
        shared.leave(role);
      }
    }),
  );
  // The answers form one final answer, with each role's text in its place.
  const texts = rollouts.flatMap(
    ({ record: trajectory }) => finalTextOf(trajectory, parts.format) ?? [],
  );
  const answer = texts.length === 0 ? null : texts.join(" ").trim();
  const verification = await shared.view("").judge(answer);
  const { turnRewards } = verification;
  return rollouts.map(({ record: trajectory, read }, r) => {
    const own = turnRewards?.filter((_, i) => shared.callers[i] === plan.roles[r]);
    const judged = own === undefined ? verification : { ...verification, turnRewards: own };
    return trajectoryOf(team, { record: trajectory, verification: judged, read }, r, rollouts[0]);
  });
}

async function relay(team: Team, place: readonly number[]): Promise<JudgedTrajectory[]> {
  const { plan, members, parts } = team;
  const rollouts: RoleRollout[] = [];
  const said: string[] = [];
  for (const [r, role] of plan.roles.entries()) {
    const made = await rollout(
      team,
      parts.spec,
      role,
      members[r] as string,
      [...place, r],
      said.length === 0 || plan.how === "apart" ? [] : [reading(said.join("; "))],
    );
    rollouts.push(made);
    said.push(finalTextOf(made.record, parts.format)?.trim() || "nothing");
  }
  return rollouts.map((made, r) => trajectoryOf(team, made, r, rollouts[0]));
}

async function rollout(
  { plan, parts, options, task }: Team,
  spec: EnvironmentSpec,
  role: string,
  member: string,
  place: readonly number[],
  around: readonly EnvironmentWrapper[],
): Promise<RoleRollout> {
  const { format, signal, roles } = parts;
  const { sampling, maxTurns, seed } = options;
  const sentence = plan.sentences?.[role];
  const spoken =
    roles === undefined
      ? { policy: parts.policy, spec }
      : roleRollout(roles, parts.policy, spec, task, member);
  const changes = [...around, ...(sentence === undefined ? [] : [told(sentence)])];
  const reading = parts.reader?.(place[0] ?? 0, role) ?? null;
  const made = await environmentRollout(
    spoken.policy,
    format,
    spoken.spec,
    task,
    {
      sampling,
      maxTurns,
      seed: derivedSeed(seed, ...place),
      guide: reading?.guide,
      around: (instance) => changes.reduce((changed, change) => change(changed), instance),
    },
    signal,
  );
  return { ...made, read: reading?.before() ?? null };
}

/**
 * The same environment with earlier answers appended to the system message, where they disturb a
 * small policy least.
 */
function reading(answers: string): EnvironmentWrapper {
  return (instance) => ({
    ...instance,
    environment: {
      task: instance.environment.task,
      async observe() {
        const first = await instance.environment.observe();
        return { ...first, system: `${first.system} Others said: ${answers}`.trim() };
      },
      step: (action, signal) => instance.environment.step(action, signal),
    },
  });
}

function trajectoryOf(
  { plan, members, options: { staleness } }: Team,
  {
    record: trajectory,
    verification,
    read,
  }: Pick<RoleRollout, "record" | "read"> & { readonly verification: Judgement },
  r: number,
  first: EnvironmentRollout | undefined,
): JudgedTrajectory {
  return toJudgedTrajectory(trajectory, verification, {
    staleness,
    read,
    role: members[r] as string,
    mode: plan.sentences?.[plan.roles[r] as string] ?? null,
    joint: first?.record.id ?? null,
    opponent: plan.opponent ?? undefined,
    ...rewardsOf(trajectory, verification),
  });
}
