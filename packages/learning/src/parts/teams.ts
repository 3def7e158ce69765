/** Parts of recipes with several policies: adapters by role, joint rollouts, credit and turns among them. */
import {
  groupRelativeAdvantages,
  type GroupAdvantageOptions,
} from "../advantages/group-advantages.ts";
import { type JudgedTrajectory, toolCalls } from "../composition/judged-trajectory.ts";
import type {
  AdvantagePart,
  FilterPart,
  LossPart,
  RewardPart,
  RolloutPart,
  RewardedTrajectory,
  RewardedGroup,
} from "../composition/part.ts";
import { dial, made } from "../composition/making.ts";
import type { RolloutPlan } from "../composition/rollout-plan.ts";
import { type Roles, userSpans } from "../composition/roles.ts";
import type { SchedulePart } from "../composition/stage.ts";
import { resource, type StatePart } from "../composition/state.ts";
import { oncePerTrajectory } from "../advantages/trajectory-tree.ts";
import { turnAdvantages, type TurnAdvantageOptions } from "../advantages/turn-returns.ts";
import { selectBy } from "../filters/selection.ts";
import { zeroSumReward } from "../rewards/team-reward.ts";
import {
  drawOpponent,
  opponentPool,
  type OpponentPool,
  recordGame,
} from "../states/opponent-pool.ts";
import { indicesByKey } from "../statistics.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byRewards, byTurns, turnRewards } from "./credit.ts";
import { changeTrajectories, filterPart, keepTrajectories } from "./filter-part.ts";
import { perAgent } from "./group-advantages.ts";
import { demos, group } from "./rollouts.ts";
import { crossEntropy } from "./token-losses.ts";

/**
 * Adapters by role over one base; every stage that has them says who of them learns, default all. The
 * others act and stay as they are.
 */
export function roleAdapters(
  names: readonly string[],
  { learn, ...more }: Partial<Omit<Roles, "names">> = {},
): StatePart<"role-adapters"> {
  const learners = { ...(learn === undefined ? {} : { chosen: learn }), all: names };
  const [standard = "all"] = Object.keys(learners);
  return made(
    { learners: dial(undefined, standard, [...Object.keys(learners), ...names]) },
    (given) => ({
      ...resource("role-adapters"),
      roles: {
        names,
        learn: learners[given.learners as keyof typeof learners] ?? [given.learners],
        ...more,
      },
    }),
  );
}

type Team = Omit<Extract<RolloutPlan, { kind: "team" }>, "kind">;

/** `team`: `size` joint rollouts at each task, a trajectory of each role in every one of them. */
export function teamOf(plan: Team): RolloutPart<never, "group"> {
  return {
    slot: "rollout",
    part: "team",
    needs: [],
    start: "group",
    plan: () => ({ kind: "team", ...plan }),
    around: [group(plan.size)],
  };
}

/**
 * `joint`: the statistic over joint rollouts; everybody in one has the same advantage.
 *
 * Source: Liu et al. 2025, "LLM Collaboration With Multi-Agent RL" (MAGRPO), arXiv:2508.04652.
 */
export function jointAdvantage(options?: GroupAdvantageOptions): AdvantagePart<never, "group"> {
  return withScale(options, (scaled) => {
    return advantagePart("joint", "group", (groups) =>
      byRewards(groups, (rewards, trajectories) => {
        const jointOf = trajectories.map(({ trajectory }) => trajectory.joint ?? trajectory.id);
        return oncePerTrajectory(rewards, jointOf, (earned) =>
          groupRelativeAdvantages(earned, scaled),
        );
      }),
    );
  });
}

/** `role-swap`: every `period` steps the members of a team take the roles after their own. */
export function roleSwap(period: number): SchedulePart {
  return {
    slot: "schedule",
    part: "role-swap",
    at: (settings, { step }) => ({ ...settings, roleShift: Math.floor(step / period) }),
  };
}

/** Turns go round: the first role begins, the next follows. */
export function takingTurns(names: readonly string[]): NonNullable<Roles["roleOf"]> {
  return ({ turn }) => names[turn % names.length] as string;
}

/** Tasks are shared out by their level: each role has those of one. */
export function byLevel(names: readonly string[]): NonNullable<Roles["roleOf"]> {
  return ({ task }) => names[task.seed % names.length] as string;
}

/**
 * `outcome` of a match: what a rollout's side has over the other side of its joint rollout, in [-1, 1];
 * among equal results fewer calls win. What one side gains the other loses.
 */
export function matchOutcome(callPrice = 0.02, part: "outcome" | "team" = "outcome"): RewardPart {
  const worth = (trajectory: JudgedTrajectory): number =>
    trajectory.verification.reward - callPrice * toolCalls(trajectory);
  return {
    slot: "reward",
    part,
    needs: [],
    score: ({ trajectories }) =>
      trajectories.map((trajectory) => {
        const others = trajectories.filter(
          (other) => other.joint === trajectory.joint && other.id !== trajectory.id,
        );
        const [other] = others;
        if (other === undefined) return { reward: 0 };
        const [own] = zeroSumReward([worth(trajectory), worth(other)]);
        return { reward: own };
      }),
  };
}

/** `opponents`: past checkpoints, one more of them at each beginning of the stage; `names` act as them. */
export function opponents(
  capacity = 4,
  names: readonly string[] = ["opponent"],
): StatePart<"opponents"> {
  return {
    slot: "state",
    part: "opponents",
    initial: () => opponentPool(capacity),
    roles: { names, learn: [] },
  };
}

/** `self-play`: two sides at the same task, apart; both are the policy. */
export function selfPlay(size = 8): RolloutPart<never, "group"> {
  const sides = { how: "apart", roles: ["first", "second"], size } as const;
  return { ...teamOf(sides), part: "self-play", around: [teamOf(sides)] };
}

/**
 * `self-play` against one of the past checkpoints, drawn by how hard it still is; the policy is the first
 * side.
 */
export function selfPlayAgainstPast(size = 8): RolloutPart<"opponents", "group"> {
  const sides = { how: "apart", roles: ["policy", "opponent"], size } as const;
  return {
    slot: "rollout",
    part: "self-play",
    needs: ["opponents"],
    start: "group",
    plan: ({ state, random }) => ({
      kind: "team",
      ...sides,
      opponent: drawOpponent(state.opponents as OpponentPool, random),
    }),
    around: [teamOf(sides)],
  };
}

/**
 * Trajectories of past checkpoints are left out: what they said was not the policy's. How its matches with them
 * ended is kept: a reward above 0 is one that it won, `matchOutcome`'s.
 */
export function withoutOpponents(names: readonly string[] = ["opponent"]): FilterPart<"opponents"> {
  return filterPart(
    "learners",
    (groups, { state }) => ({
      ...keepTrajectories(groups, (trajectories) =>
        selectBy(trajectories, ({ trajectory }) =>
          names.includes(trajectory.role) ? "opponent" : null,
        ),
      ),
      state: { opponents: withGames(state.opponents as OpponentPool, groups, names) },
    }),
    { needs: ["opponents"] },
  );
}

function withGames(
  pool: OpponentPool,
  groups: readonly RewardedGroup[],
  names: readonly string[],
): OpponentPool {
  return groups
    .flatMap(({ trajectories }) => trajectories)
    .reduce((played, { trajectory: { opponent, role }, score }) => {
      if (opponent === undefined || names.includes(role)) return played;
      return recordGame(played, opponent, (1 + Math.sign(score.reward)) / 2);
    }, pool);
}

/** `turn`: each turn's return among those of the same role, so that no side is judged by the other's scale. */
export function perAgentTurns(options?: TurnAdvantageOptions): AdvantagePart<never, "group"> {
  return withScale(options, turnsAmongRoles);
}

function turnsAmongRoles(options: TurnAdvantageOptions): AdvantagePart<never, "group"> {
  return advantagePart(
    "turn",
    "group",
    (groups) =>
      byTurns(groups, (trajectories) => {
        const advantages: number[][] = trajectories.map(() => []);
        for (const [, members] of indicesByKey(
          trajectories.map(({ trajectory }) => trajectory.role),
        )) {
          const own = turnAdvantages(
            members.map((i) => turnRewards(trajectories[i] as RewardedTrajectory)),
            options,
          );
          for (const [at, i] of members.entries()) advantages[i] = own[at] as number[];
        }
        return advantages;
      }),
    { around: [perAgent(options)] },
  );
}

/** `self-play`: a demonstration of each task beside a rollout of the checkpoint before, role `student`. */
export function demosAgainstPast(): RolloutPart<"opponents", "group"> {
  return {
    slot: "rollout",
    part: "self-play",
    needs: ["opponents"],
    start: "group",
    plan: () => ({ kind: "demos", size: 1, mistakes: 0, students: 1 }),
    around: [demos()],
  };
}

/** Pairs of every task: what was demonstrated is preferred to what the student did, whatever it came to. */
export function demonstrationPairs(): FilterPart {
  return filterPart("demonstration-pairs", (groups) => ({
    groups,
    dropped: new Map(),
    pairs: groups.flatMap(({ trajectories }) => {
      const ids = (isStudent: boolean): string[] =>
        trajectories.flatMap(({ trajectory }) =>
          (trajectory.role === "student") === isStudent ? [trajectory.id] : [],
        );
      const students = ids(true);
      return ids(false).flatMap((shown) => students.map((student) => [shown, student] as const));
    }),
  }));
}

/**
 * `slow-copy`: an average that follows the policy and keeps `decay` of itself at each update; it is what
 * rollouts held-out tasks.
 */
export function averagedCopy(decay = 0.9): StatePart<"slow-copy"> {
  return {
    ...resource("slow-copy"),
    roles: { names: ["slow"], learn: [], averages: { slow: decay }, deploys: "slow" },
  };
}

/** `slow-copy`: a teacher that makes the rollouts; where it `begins`, it starts as a copy of the policy. */
export function seededTeacher(begins: boolean): StatePart<"slow-copy"> {
  const copies = begins ? { copies: { teacher: "policy" } } : {};
  return {
    ...resource("slow-copy"),
    roles: { names: ["teacher"], learn: [], roleOf: () => "teacher", deploys: "policy", ...copies },
  };
}

/** The words of the user count in the loss too. */
export function speakerMask(): FilterPart {
  return filterPart("speaker-mask", (groups) =>
    changeTrajectories(groups, (scored) => ({
      ...scored,
      lossMask: scored.lossMask.map((mask, sample) => {
        const spoken = [...mask];
        for (const [start, end] of userSpans(scored.trajectory, sample)) {
          spoken.fill(true, start, end);
        }
        return spoken;
      }),
    })),
  );
}

/** `ce-mask`: cross-entropy of whatever filters left in the loss, whoever said it. */
export function speakersCrossEntropy(): LossPart {
  return { ...crossEntropy(), part: "ce-mask" };
}
