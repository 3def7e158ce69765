/** Parts of self-play between who sets tasks and who solves them. Tasks are checked by the environment, not by either. */
import {
  groupRelativeAdvantages,
  type GroupAdvantageOptions,
} from "../advantages/group-advantages.ts";
import { dial, made } from "../composition/making.ts";
import type {
  AdvantagePart,
  FilterPart,
  LossPart,
  RewardPart,
  RolloutPart,
} from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { selectBy } from "../filters/selection.ts";
import { FRONTIER_CURVES, type FrontierCurve, frontierReward } from "../rewards/frontier.ts";
import { indicesByKey, meanOf } from "../statistics.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byRewards, byRoles } from "./credit.ts";
import { lossPart } from "./loss-part.ts";
import { group } from "./rollouts.ts";
import { supervisedLoss } from "../losses/supervised-loss.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";

/** The roles of both, and of who shows how tasks are set. */
const PROPOSER = "proposer";
const SOLVER = "solver";
const SHOWN = "shown";

/**
 * `self-play`: so many tasks are set for each reference, and each that can be read is tried so often.
 *
 * @param shown demonstrations of how a task is set: a policy that never saw it done sets none.
 */
export function setAndSolve(proposals = 4, attempts = 4, shown = 1): RolloutPart<never, "group"> {
  return {
    slot: "rollout",
    part: "self-play",
    needs: [],
    start: "group",
    plan: () => ({ kind: "proposals", proposals, attempts, shown }),
  };
}

/** `self-play` about documents: both search them, and no environment without any serves. */
export function searchAndSolve(
  proposals = 4,
  attempts = 4,
  shown = 1,
): RolloutPart<"corpus", "group"> {
  return {
    slot: "rollout",
    part: "self-play",
    needs: ["corpus"],
    start: "group",
    plan: () => ({ kind: "proposals", proposals, attempts, shown, searches: "both" }),
  };
}

/**
 * `self-play` with a setter who reads documents and a solver who never sees them: each task is tried by a
 * `group` of rollouts.
 */
export function readAndSolve(
  proposals = 4,
  attempts = 4,
  shown = 1,
): RolloutPart<"corpus", "group"> {
  return {
    slot: "rollout",
    part: "self-play",
    needs: ["corpus"],
    start: "group",
    plan: () => ({ kind: "proposals", proposals, attempts, shown, searches: "setter" }),
    around: [group(attempts)],
  };
}

/** `ce` of what was shown, and of nothing else. */
export function shownCrossEntropy(): LossPart {
  return lossPart("ce", (minibatch) =>
    supervisedLoss({
      ...minibatch,
      weights: undefined,
      lossMask: minibatch.lossMask.map((mask, row) =>
        minibatch.trajectories[row]?.trajectory.role === SHOWN ? mask : mask.map(() => false),
      ),
    }),
  );
}

/**
 * `frontier`: who solves is paid by `solved`, who set the task by how far its tries were from all right and
 * all wrong, and nothing for a task that could not be shown to have an answer.
 */
export function frontier<N extends StateName>(
  solved: RewardPart<N>,
  curve?: FrontierCurve,
): RewardPart<N> {
  return made(
    { curve: dial(curve, "parabola", FRONTIER_CURVES) },
    (given, [part]) => onFrontier(part, given.curve),
    [solved],
  );
}

function onFrontier<N extends StateName>(
  solved: RewardPart<N>,
  curve: FrontierCurve,
): RewardPart<N> {
  return {
    slot: "reward",
    part: "frontier",
    needs: solved.needs,
    around: [solved],
    score: async (group, context) => {
      const scores = await solved.score(group, context);
      return group.trajectories.map((trajectory, i) => {
        const own = scores[i] ?? { reward: 0 };
        // Learned by itself, not by what it earned.
        if (trajectory.role === SHOWN) return { reward: 0 };
        if (trajectory.role !== PROPOSER) return own;
        const tries = group.trajectories.flatMap(({ role, joint }, j) =>
          role === SOLVER && joint === trajectory.id ? [scores[j]?.reward ?? 0] : [],
        );
        const passRate = tries.length === 0 ? 0 : Math.min(1, Math.max(0, meanOf(tries)));
        return { reward: frontierReward(passRate, trajectory.verification.success, curve) };
      });
    },
  };
}

/** What shows that a task has an answer: its setter's own word, or some try that was right. */
type Answered = "by-setter" | "by-some-try";

/** `answerable`: tries at tasks that nobody could show an answer of are left out; default the setter. */
export function answerableProposals(answered?: Answered): FilterPart {
  return made(
    { answered: dial<Answered>(answered, "by-setter", ["by-setter", "by-some-try"]) },
    (given) =>
      filterPart("answerable", (groups) => {
        const byTries = given.answered === "by-some-try";
        const shown = new Set(
          groups.flatMap(({ trajectories }) =>
            trajectories.flatMap(({ trajectory: { id, role, joint, verification } }) => {
              if (role !== (byTries ? SOLVER : PROPOSER) || !verification.success) return [];
              return [byTries ? (joint ?? "") : id];
            }),
          ),
        );
        return keepTrajectories(groups, (trajectories) =>
          selectBy(trajectories, ({ trajectory }) =>
            trajectory.role === SOLVER && !shown.has(trajectory.joint ?? "")
              ? "not-answerable"
              : null,
          ),
        );
      }),
  );
}

/** `group`: proposals among those for the same reference, tries among those at the same proposal. */
export function amongTries(options?: GroupAdvantageOptions): AdvantagePart<never, "group"> {
  return withScale(options, amongPeers);
}

function amongPeers(options: GroupAdvantageOptions): AdvantagePart<never, "group"> {
  return advantagePart("group", "group", (groups) =>
    byRewards(groups, (rewards, trajectories) => {
      const peers = trajectories.map(({ trajectory }) =>
        trajectory.role === SOLVER ? (trajectory.joint ?? "") : trajectory.role,
      );
      const advantages = rewards.map(() => 0);
      for (const [, members] of indicesByKey(peers)) {
        // One demonstration of how tasks are set is compared with nothing.
        if (trajectories[members[0] as number]?.trajectory.role === SHOWN) continue;
        const own = groupRelativeAdvantages(
          members.map((i) => rewards[i] as number),
          options,
        );
        for (const [at, i] of members.entries()) advantages[i] = own[at] as number;
      }
      return advantages;
    }),
  );
}

/** `per-agent`: who sets among who sets, who solves among all tries; what was shown is left as it is. */
export function settersAndSolvers(options?: GroupAdvantageOptions): AdvantagePart<never, "group"> {
  return withScale(options, (scaled) => {
    return advantagePart("per-agent", "group", (groups) =>
      byRoles(groups, (ofRole, role) =>
        role === SHOWN ? ofRole.map(() => 0) : groupRelativeAdvantages(ofRole, scaled),
      ),
    );
  });
}
