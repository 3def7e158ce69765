/** Reward parts: what a trajectory, and each of its turns, is worth. */
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory, JudgedGroup } from "../composition/judged-trajectory.ts";
import { sampledTokens, toolCalls, verifiedWorth } from "../composition/judged-trajectory.ts";
import { dial, fixed, fixedAll, made } from "../composition/making.ts";
import type { PartContext, RewardPart, Score } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { equivalenceReward } from "../rewards/call-equivalence.ts";
import { calibrationReward } from "../rewards/calibration.ts";
import { economyReward, type EconomySwitch, type Prices, usageCost } from "../rewards/economy.ts";
import { executableTurns, executionReward } from "../rewards/exec.ts";
import { toolCallBonus } from "../rewards/exploration-bonus.ts";
import { formatReward } from "../rewards/format.ts";
import { judgedReward } from "../rewards/judge-port.ts";
import { overlongPenalty } from "../rewards/length-shaping.ts";
import { OUTCOME_KINDS, type OutcomeKind, outcomeReward } from "../rewards/outcome.ts";
import { redistributedRewards } from "../rewards/redistribute.ts";
import { TEAM_RULES, type TeamRule, teamReward } from "../rewards/team-reward.ts";
import { type Tier, tieredReward } from "../rewards/combinators.ts";

/** A reward under its name, one trajectory at a time. */
export function rewardPart(
  part: string,
  score: (trajectory: JudgedTrajectory, context: PartContext) => Score,
): RewardPart {
  return {
    slot: "reward",
    part,
    needs: [],
    score: ({ trajectories }, context) =>
      trajectories.map((trajectory) => score(trajectory, context)),
  };
}

/** `outcome`: what the verifier says at the end, by default its score. */
export function outcome(kind?: OutcomeKind): RewardPart {
  return made({ outcome: dial(kind, "score", OUTCOME_KINDS) }, (given) =>
    rewardPart("outcome", ({ verification }) => ({
      reward: outcomeReward(verification, given.outcome),
    })),
  );
}

/**
 * `preference`: the share of the other rollouts at its task that one is preferred to. By default the
 * better outcome is, and among equals the one with fewer calls; half a point where neither is.
 */
export function preference(
  compare: (a: JudgedTrajectory, b: JudgedTrajectory) => number = (a, b) =>
    a.verification.reward - b.verification.reward || toolCalls(b) - toolCalls(a),
): RewardPart {
  return {
    slot: "reward",
    part: "preference",
    needs: [],
    score: ({ trajectories }) =>
      trajectories.map((a) => {
        const others = trajectories.filter((b) => b !== a);
        const wins = others.reduce((sum, b) => sum + (1 + Math.sign(compare(a, b))) / 2, 0);
        return { reward: others.length === 0 ? 0.5 : wins / others.length };
      }),
  };
}

/** `economy`: the outcome, minding what calls, turns and tokens cost. */
export function economy(prices: Prices, how: EconomySwitch = { kind: "scalar" }): RewardPart {
  const { byTool = {}, ...plain } = prices;
  return made({ ...fixedAll(plain), ...fixedAll(byTool), how: fixed(how.kind) }, () =>
    rewardPart("economy", (trajectory) => {
      const cost = usageCost(
        {
          toolCalls: toolCalls(trajectory),
          turns: trajectory.turns.length,
          sampledTokens: sampledTokens(trajectory),
        },
        prices,
      );
      return {
        reward: economyReward(trajectory.verification, cost, how),
        components: { outcome: trajectory.verification.reward, cost },
      };
    }),
  );
}

/** `progress`: the environment's pay for single turns and the rest at the end, or all of it at the end. */
export function progress(payment?: "turn" | "trajectory"): RewardPart {
  return made({ payment: dial(payment, "turn", ["turn", "trajectory"]) }, (given) =>
    rewardPart("progress", ({ verification: { reward }, turns }) =>
      given.payment === "trajectory"
        ? { reward, turnRewards: turns.map((_, i) => (i === turns.length - 1 ? reward : 0)) }
        : { reward, turnRewards: turns.map((turn) => turn.reward ?? 0) },
    ),
  );
}

/** `checklist`: criteria with evidence, as the environment pays them; sparse = all at the end. */
export function checklist(payment: "turn" | "trajectory" = "turn"): RewardPart {
  return rewardPart("checklist", ({ verification, turns }) => {
    const paid = turns.map(({ reward }) => reward ?? 0);
    const sum = paid.reduce((all, reward) => all + reward, 0);
    const reward = Math.max(sum, verification.reward);
    return payment === "turn" ? { reward, turnRewards: paid } : { reward };
  });
}

/** `format`: the share of turns that could be read. */
export function format(): RewardPart {
  return rewardPart("format", ({ turns }) => ({ reward: formatReward(turns) }));
}

/** `exec`: the share of calls that ran, turn by turn. */
export function exec(): RewardPart {
  return rewardPart("exec", ({ turns }) => {
    const ran = executableTurns(turns);
    return {
      reward: executionReward(turns),
      turnRewards: ran.map((value) => value / Math.max(1, ran.length)),
    };
  });
}

/** `length`: a penalty that grows towards the limit, in sampled tokens. */
export function overlong(limit: number, buffer: number): RewardPart {
  return made(fixedAll({ limit, buffer }), () =>
    rewardPart("length", (trajectory) => ({
      reward: overlongPenalty(sampledTokens(trajectory), { limit, buffer }),
    })),
  );
}

/** `bonus`: pays the first calls, less and less as the stage goes on. */
export function callBonus(weight: number, most = 1): RewardPart {
  return made(fixedAll({ weight, most }), () =>
    rewardPart("bonus", (trajectory, { step, steps }) => ({
      reward: toolCallBonus(toolCalls(trajectory), weight * Math.max(0, 1 - step / steps), most),
    })),
  );
}

/** `equiv`: the action at a stored turn does what the stored one did, whatever its spelling. */
export function equivalent(): RewardPart {
  return rewardPart("equiv", (trajectory) => {
    const stored = trajectory.branch?.original;
    if (stored === undefined) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `reward equiv needs trajectories that left a stored turn, got ${trajectory.id}; roll out with pivot`,
      );
    }
    return {
      reward: equivalenceReward(trajectory.turns.at(-1)?.toolCalls ?? [], stored.toolCalls),
    };
  });
}

/** `calibration`: −(confidence − correct)², the confidence read off the trajectory. */
export function calibration(confidenceOf: (trajectory: JudgedTrajectory) => number): RewardPart {
  return rewardPart("calibration", (trajectory) => ({
    reward: calibrationReward(confidenceOf(trajectory), trajectory.verification.success),
  }));
}

/** `redistribute`: the outcome spread over the turns by what each contributed. */
export function redistribute(
  contributionsOf: (trajectory: JudgedTrajectory, context: PartContext) => readonly number[],
): RewardPart {
  return rewardPart("redistribute", (trajectory, context) => {
    const { reward } = trajectory.verification;
    if (trajectory.turns.length === 0) return { reward };
    return {
      reward,
      turnRewards: redistributedRewards(reward, contributionsOf(trajectory, context)),
    };
  });
}

/** `tiers`: later levels count where earlier ones are met. */
export function tiers(tiersOf: (trajectory: JudgedTrajectory) => readonly Tier[]): RewardPart {
  return rewardPart("tiers", (trajectory) => ({ reward: tieredReward(tiersOf(trajectory)) }));
}

/**
 * `team`: one reward for all members of a joint rollout, by default their mean; for the whole group where
 * nobody is in one.
 */
export function team(rule?: TeamRule): RewardPart {
  return made({ team: dial(rule, "mean", TEAM_RULES) }, (given): RewardPart => ({
    slot: "reward",
    part: "team",
    needs: [],
    score: ({ trajectories }) =>
      trajectories.map(({ joint }) => {
        const members = trajectories.filter((other) => other.joint === joint);
        const earned = teamReward(
          members.map(({ verification }) => verification.reward),
          given.team,
        );
        return { reward: earned[0] as number };
      }),
  }));
}

/** `judge`: a judge's word, the median of `votes`; what it cannot judge has no reward. */
export function judge(
  inputOf: (trajectory: JudgedTrajectory) => {
    readonly request: string;
    readonly transcript: string;
  },
  votes?: number,
): RewardPart<"judge"> {
  return made({ votes: dial(votes, 1) }, (given) => judgedBy(inputOf, given.votes));
}

function judgedBy(
  inputOf: (trajectory: JudgedTrajectory) => {
    readonly request: string;
    readonly transcript: string;
  },
  votes: number,
): RewardPart<"judge"> {
  return {
    slot: "reward",
    part: "judge",
    needs: ["judge"],
    score: async ({ trajectories }, { ports, signal }) => {
      const port = ports.judge;
      if (port === undefined) {
        throw new WaggleError(
          "CAPABILITY_MISSING",
          "reward judge needs a judge, got none; open one for the run or choose another recipe",
        );
      }
      const rewards = trajectories.map((trajectory) =>
        judgedReward(port, inputOf(trajectory), signal, votes),
      );
      return (await Promise.all(rewards)).map((reward) => ({ reward }));
    },
  };
}

/**
 * `gate`: `bonus` counts only where `holds` says so; by default where the trajectory succeeded, or was verified
 * as at least so good.
 */
export function gate<A extends StateName, B extends StateName>(
  base: RewardPart<A>,
  bonus: RewardPart<B>,
  holds?: (trajectory: JudgedTrajectory) => boolean,
): RewardPart<A | B> {
  return made(
    { gateFrom: holds === undefined ? dial(undefined, 1) : fixed(1) },
    ({ gateFrom }, inner) =>
      joined<A | B>("gate", inner, (scores, trajectory) => {
        const [first, second] = scores as readonly [Score, Score];
        const isPaid = holds?.(trajectory) ?? verifiedWorth(trajectory) >= gateFrom;
        return isPaid ? summed([first, second], [1, 1]) : first;
      }),
    [base, bonus] as readonly RewardPart<A | B>[],
  );
}

/** A number, or what holds as long as no setting says otherwise. */
type RewardWeight = number | { readonly standard: number };

/**
 * Several rewards added by weight, each under its own name; their parts are components of the score. A
 * weight that is left at its standard is the setting `<part>Weight`.
 */
export function weighted<N extends StateName>(
  entries: readonly (readonly [part: RewardPart<N>, weight: RewardWeight])[],
): RewardPart<N> {
  const [first] = entries;
  if (first === undefined) {
    throw new WaggleError("INVALID_ARGUMENT", "a weighted reward needs parts, got none; give some");
  }
  return made(
    Object.fromEntries(
      entries.map(([{ part }, weight]) => [
        weightName(part),
        typeof weight === "number" ? fixed(weight) : dial(undefined, weight.standard),
      ]),
    ),
    (weights, parts) =>
      joined(first[0].part, parts, (scores, _, { rewardWeights }) =>
        summed(
          scores,
          parts.map(({ part }) => Number(weights[weightName(part)]) * (rewardWeights?.[part] ?? 1)),
        ),
      ),
    entries.map(([part]) => part),
  );
}

/** `info-gain` weighs `infoGainWeight`. */
export function weightName(part: string): string {
  return `${part.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Weight`;
}

function joined<N extends StateName>(
  part: string,
  parts: readonly RewardPart<N>[],
  join: (scores: readonly Score[], trajectory: JudgedTrajectory, context: PartContext) => Score,
): RewardPart<N> {
  return {
    slot: "reward",
    part,
    needs: parts.flatMap(({ needs }) => needs),
    around: parts,
    score: async (group: JudgedGroup, context) => {
      const all = await Promise.all(parts.map(async (one) => one.score(group, context)));
      return group.trajectories.map((trajectory, i) => {
        const scores = all.map((scored) => scored[i] as Score);
        const components = Object.fromEntries(
          parts.map((one, p) => [one.part, (scores[p] as Score).reward]),
        );
        const score = join(scores, trajectory, context);
        return { ...score, components: { ...score.components, ...components } };
      });
    },
  };
}

function summed(scores: readonly Score[], weights: readonly number[]): Score {
  const add = (of: (score: Score) => number): number =>
    scores.reduce((sum, score, i) => sum + (weights[i] ?? 0) * of(score), 0);
  const turns = Math.max(0, ...scores.map(({ turnRewards }) => turnRewards?.length ?? 0));
  const components = Object.assign(
    {},
    ...scores.map((score) => score.components),
  ) as Score["components"];
  return {
    reward: add(({ reward }) => reward),
    ...(components === undefined ? {} : { components }),
    ...(turns === 0
      ? {}
      : {
          turnRewards: Array.from({ length: turns }, (_, t) =>
            add(({ turnRewards }) => turnRewards?.[t] ?? 0),
          ),
        }),
  };
}
