/**
 * Rollouts of several policies: teams, matches, and matches against past checkpoints. Each role has its own conversation
 * and trajectory; `joint` links the trajectories of one rollout.
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
   * `together`: one environment, a conversation each, nobody sees the others of a round. `relay`: one after
   * the other, each reads what those before it answered. `apart`: nobody knows of the others.
   */
  readonly how: "together" | "relay" | "apart";
  /** The checkpoint that plays the role `opponent`. */
  readonly opponent?: string | null;
  /** In the order in which they act. */
  readonly roles: readonly string[];
  /** Of the system message, by role. */
  readonly sentences?: { readonly [role: string]: string };
};

/** Joint rollouts of several roles; a trajectory for each role, adjacent and in the order of the roles. */
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
      // The role that acts last gives the team's answer.
      return jointRollout(team, driver, task, [at, 0]).then(
        (members) => members.at(-1) as JudgedTrajectory,
      );
    },
  };
}

/**
 * Whether held-out tasks are rolled out by the whole team: only if every member has its own adapter. Sides of a
 * match, members that are all the policy, and a role that the recipe deploys are evaluated alone.
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
  // Members change places if the stage swaps roles.
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

/** One rollout after the other; those who `read` are told what the ones before them answered. */
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
    // The end of the system message is where answers disturb a small policy least.
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

/** `team`: `size` joint rollouts at each task, with one trajectory per role. */
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

/** `self-play`: two sides at the same task, in separate contexts; both are the policy. */
export function selfPlay(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => {
    const sides = { how: "apart", roles: ["first", "second"], size } as const;
    return { ...teamOf(sides), part: "self-play", around: [teamOf(sides)] };
  });
}

/**
 * `self-play` against a past checkpoint, drawn by its remaining difficulty; the policy is the first side.
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

/** `self-play`: a demonstration of each task, and a rollout of the previous checkpoint in the role `student`. */
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

/** `slow-copy`: a teacher that makes the rollouts; if it `begins`, it starts as a copy of the policy. */
export function seededTeacher(begins: boolean): StatePart<"slow-copy"> {
  const copies = begins ? { copies: { teacher: "policy" } } : {};
  return {
    ...resource("slow-copy"),
    roles: { names: ["teacher"], learn: [], roleOf: () => "teacher", deploys: "policy", ...copies },
  };
}
