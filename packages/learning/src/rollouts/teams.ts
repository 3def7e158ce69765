/**
 * Rollouts of several roles: teams, matches, and matches against past checkpoints. Each role has its own conversation
 * and its own trajectory. The field `joint` links the trajectories of one joint rollout.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { TaskReference } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { DrivenRoles, RolloutDriver, TeamMember } from "../composition/rollout-driver.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import { resource, type StatePart } from "../composition/state.ts";
import { drawOpponent, type OpponentPool } from "../states/opponent-pool.ts";
import { demonstrationStrategy, demos } from "./demonstrations.ts";
import { group } from "./plain-rollouts.ts";

type Team = {
  /** Joint rollouts of each task. */
  readonly size: number;
  /**
   * `together`: all roles share one environment, and act in each round without seeing each other's actions.
   * `relay`: the roles act one after the other, and each reads the answers of the earlier ones.
   * `apart`: each role has its own environment and learns nothing of the others.
   */
  readonly how: "together" | "relay" | "apart";
  /** The checkpoint that plays the role `opponent`. */
  readonly opponent?: string | null;
  /** The roles in the order in which they act. */
  readonly roles: readonly string[];
  /** Sentences that are added to the system message, by role. */
  readonly sentences?: { readonly [role: string]: string };
};

/** Joint rollouts of several roles. The trajectories of a joint rollout are adjacent, in the order of the roles. */
function teamStrategy(team: Team): RolloutStrategy {
  const { size, how, roles, opponent = null } = team;
  return {
    name: "team",
    options: team,
    groupSize: size,
    opponent,
    rollOut: (driver) =>
      driver.byTask(async (task, at) => {
        const joint = Array.from({ length: size }, (_, i) =>
          jointRollout(team, driver, task, [at, i]),
        );
        return (await Promise.all(joint)).flat();
      }),
    rollOutHeldOut: (driver, task, at) => {
      if (how === "apart" || !isDeployed(roles, driver.roles)) return null;
      // The last role gives the team's answer.
      return jointRollout(team, driver, task, [at, 0]).then(
        (members) => members.at(-1) as JudgedTrajectory,
      );
    },
  };
}

/**
 * Whether the whole team solves the held-out tasks. It does if every member has its own adapter and the recipe does
 * not deploy a single role. Otherwise one role solves them alone.
 */
function isDeployed(members: readonly string[], roles: DrivenRoles | null): boolean {
  return roles !== null && roles.deploys === null && members.every(roles.hasAdapter);
}

async function jointRollout(
  { how, roles, sentences = {}, opponent = null }: Team,
  driver: RolloutDriver,
  task: TaskReference,
  place: readonly number[],
): Promise<JudgedTrajectory[]> {
  // If the stage swaps roles, the members exchange their parts.
  const members = roles.map((part, i) => ({
    part,
    role: roles[(i + driver.roleShift) % roles.length] as string,
    mode: sentences[part] ?? null,
  }));
  const rollouts =
    how === "together"
      ? await driver.rollOutTogether(task, place, members)
      : await inTurn(members, driver, task, place, how === "relay");
  const joint = rollouts[0]?.id ?? null;
  return rollouts.map((rollout) => ({
    ...rollout,
    joint,
    ...(opponent === null ? {} : { opponent }),
  }));
}

/** One rollout per member, in sequence. If `reads` is set, each member is told the earlier answers. */
async function inTurn(
  members: readonly TeamMember[],
  driver: RolloutDriver,
  task: TaskReference,
  place: readonly number[],
  reads: boolean,
): Promise<JudgedTrajectory[]> {
  const rollouts: JudgedTrajectory[] = [];
  const said: string[] = [];
  for (const [r, { part, role, mode }] of members.entries()) {
    // Answers disturb a small policy least at the end of the system message.
    const told = reads && said.length > 0 ? { told: `Others said: ${said.join("; ")}` } : {};
    const rollout = await driver.rollOut(task, [...place, r], {
      role,
      mode,
      readsAs: part,
      ...told,
    });
    rollouts.push(rollout);
    said.push(driver.finalText(rollout.record)?.trim() || "nothing");
  }
  return rollouts;
}

/** `team`: `size` joint rollouts of each task, with one trajectory per role. */
export function teamOf(team: Team): RolloutPart<never, "group"> {
  return {
    slot: "rollout",
    part: "team",
    needs: [],
    start: "group",
    strategy: () => teamStrategy(team),
    around: [group(team.size)],
  };
}

/** `self-play`: the policy plays both sides of a task, in separate contexts. */
export function selfPlay(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => {
    const sides = { how: "apart", roles: ["first", "second"], size } as const;
    return { ...teamOf(sides), part: "self-play", around: [teamOf(sides)] };
  });
}

/**
 * `self-play` against a past checkpoint. Checkpoints that still win are drawn more often. The policy is the first
 * side.
 */
export function selfPlayAgainstPast(size?: number): RolloutPart<"opponents", "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => {
    const sides = { how: "apart", roles: ["policy", "opponent"], size } as const;
    return {
      slot: "rollout",
      part: "self-play",
      needs: ["opponents"],
      start: "group",
      strategy: ({ state, random }) =>
        teamStrategy({
          ...sides,
          opponent: drawOpponent(state.opponents as OpponentPool, random),
        }),
      around: [teamOf(sides)],
    };
  });
}

/** `self-play`: for each task, a demonstration and a rollout by the previous checkpoint as `student`. */
export function demosAgainstPast(): RolloutPart<"opponents", "group"> {
  return {
    slot: "rollout",
    part: "self-play",
    needs: ["opponents"],
    start: "group",
    strategy: () => demonstrationStrategy({ size: 1, mistakes: 0, students: 1 }),
    around: [demos()],
  };
}

/** `slow-copy`: a teacher that acts in the rollouts. If `begins` is set, it starts as a copy of the policy. */
export function seededTeacher(begins: boolean): StatePart<"slow-copy"> {
  const copies = begins ? { copies: { teacher: "policy" } } : {};
  return {
    ...resource("slow-copy"),
    roles: { names: ["teacher"], learn: [], roleOf: () => "teacher", deploys: "policy", ...copies },
  };
}
