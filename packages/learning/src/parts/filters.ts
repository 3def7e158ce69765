/** Filter parts: which trajectories, tokens and pairs a stage learns from. */
import type { TaskReference } from "@waggle/protocol";
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import {
  sampledTokens,
  toolCalls,
  toolErrors,
  verifiedWorth,
} from "../composition/judged-trajectory.ts";
import { dial, fixed, made } from "../composition/making.ts";
import type { FilterPart, RewardedTrajectory, RewardedGroup } from "../composition/part.ts";
import { resampledOnCorrect } from "../filters/clean-correct.ts";
import { cleaned } from "../filters/clean.ts";
import { curatedWithin } from "../filters/curated.ts";
import { mixedInRatio, type Ratios } from "../filters/diversity-mix.ts";
import { horizonWeights } from "../filters/long-tail.ts";
import { mixedGroups } from "../filters/mixed-groups.ts";
import { type Band, tasksInBand } from "../filters/pass-rate-band.ts";
import { pivotTurns } from "../filters/pivot-variance.ts";
import { selectBy } from "../filters/selection.ts";
import { highEntropySteps, maskToSteps, stepMeans } from "../filters/step-choice.ts";
import { successesOnly, type SuccessOptions } from "../filters/successes.ts";
import { pairsByGap, type PairRule } from "../filters/value-gap-pairs.ts";
import { verifiedOnly } from "../filters/verified.ts";
import { observeTask, passRateOf, type TaskStatistics } from "../states/task-statistics.ts";
import { changeTrajectories, filterPart, keepTrajectories, keepGroups } from "./filter-part.ts";
import { turnDial, type TurnRule, turnRule } from "./turn-rules.ts";

const rewardsOf = ({ trajectories }: RewardedGroup): number[] =>
  trajectories.map(({ score }) => score.reward);

/** `mixed-group`: groups whose rewards do not differ are left out; the driver rolls out others. */
export function mixedGroup(tolerance?: number): FilterPart {
  return made({ tolerance: dial(tolerance, 1e-6) }, (given) =>
    filterPart("mixed-group", (groups) =>
      keepGroups(groups, (all) => mixedGroups(all.map(rewardsOf), given.tolerance)),
    ),
  );
}

/**
 * Rollouts of a kind alone, as one group: the others are no measure of them, and of one task there may be
 * too few.
 */
export function rolloutsThat(
  isWanted: (trajectory: JudgedTrajectory) => boolean,
  kind: string,
): FilterPart {
  return filterPart("attempts-that", (groups) => {
    const wanted = keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (isWanted(trajectory) ? null : `not-${kind}`)),
    );
    const trajectories = wanted.groups.flatMap((group) => group.trajectories);
    return { ...wanted, groups: trajectories.length === 0 ? [] : [{ task: kind, trajectories }] };
  });
}

/** `success`: verified successes alone, or what was verified as at least so good. */
export function success({
  threshold,
  ...options
}: Omit<SuccessOptions, "lengths"> = {}): FilterPart {
  return made({ threshold: dial(threshold, 1) }, (given) =>
    filterPart("success", (groups) =>
      keepTrajectories(groups, (all) =>
        successesOnly(
          all.map(({ trajectory }) => verifiedWorth(trajectory)),
          all.map(({ trajectory }) => JSON.stringify(trajectory.record.task ?? trajectory.id)),
          { ...options, ...given, lengths: all.map(({ trajectory }) => sampledTokens(trajectory)) },
        ),
      ),
    ),
  );
}

/** `student-fail`: what teachers show of tasks that the policy's own rollouts all failed. */
export function studentFail(): FilterPart {
  return filterPart("student-fail", (groups) =>
    keepTrajectories(groups, (all) => {
      const taskOf = ({ trajectory }: RewardedTrajectory): string =>
        JSON.stringify(trajectory.record.task);
      const mastered = new Set(
        all
          .filter(
            ({ trajectory }) => trajectory.role === "student" && trajectory.verification.success,
          )
          .map(taskOf),
      );
      return selectBy(all, (scored) => {
        if (scored.trajectory.role === "student") return "students-own";
        return mastered.has(taskOf(scored)) ? "student-can" : null;
      });
    }),
  );
}

/**
 * `verify`: what passes every check, or any of them; the verifier's word and a whole ending unless others
 * are given.
 */
export function verify(
  checks: (trajectory: JudgedTrajectory) => readonly boolean[] = ({
    verification,
    record: trajectory,
  }) => [verification.success, trajectory.terminated],
  passes?: "all" | "any",
): FilterPart {
  return made({ checks: dial(passes, "all", ["all", "any"]) }, (given) =>
    filterPart("verify", (groups) =>
      keepTrajectories(groups, (all) =>
        verifiedOnly(
          all.map(({ trajectory }) => {
            const passed = checks(trajectory);
            const results = given.checks === "any" ? [passed.includes(true)] : passed;
            return results.map((result) => (result ? "pass" : "fail"));
          }),
        ),
      ),
    ),
  );
}

/** `clean`: no unreadable turn, no failed call, no near copy of another; by default no copy. */
export function clean(sameFrom?: number): FilterPart {
  return made({ sameFrom: dial(sameFrom, 1) }, (given) =>
    filterPart("clean", (groups) =>
      keepTrajectories(groups, (all) =>
        cleaned(all, {
          faultOf: ({ trajectory }) => (toolErrors(trajectory) > 0 ? "tool-error" : null),
          textOf: ({ trajectory }) =>
            trajectory.samples.flatMap(({ sequence }) => sequence.tokenIds).join(" "),
          ...given,
        }),
      ),
    ),
  );
}

/** `clean-correct`: of an oversampled group, failures as they fall and the cleanest successes. */
export function cleanCorrect(size = 8, sharpness = 1): FilterPart {
  return filterPart("clean-correct", (groups, { random }) => {
    const parts = groups.map((group) =>
      keepTrajectories([group], (all) =>
        resampledOnCorrect(
          all.map(({ trajectory }) => ({
            isCorrect: trajectory.verification.success,
            toolErrorRate: toolErrors(trajectory) / Math.max(1, toolCalls(trajectory)),
            formatErrorRate:
              trajectory.turns.filter(({ parseError }) => parseError !== null).length /
              Math.max(1, trajectory.turns.length),
          })),
          Math.min(size, all.length),
          random,
          sharpness,
        ),
      ),
    );
    return {
      groups: parts.flatMap((part) => part.groups),
      dropped: new Map(parts.flatMap(({ dropped }) => [...dropped])),
    };
  });
}

/** `pivot-var`: turns whose sampled actions differ in outcome. */
export function pivotVariance(least = 0.01): FilterPart {
  return filterPart("pivot-var", (groups) =>
    keepGroups(groups, (all) => pivotTurns(all.map(rewardsOf), least)),
  );
}

/** `pair-gap`: a pair where values of one task differ by a margin, by default 0.1. */
export function pairGap(margin?: number, rule: PairRule = "extremes"): FilterPart {
  return made({ margin: dial(margin, 0.1) }, (given) => pairedBy(given.margin, rule));
}

function pairedBy(margin: number, rule: PairRule): FilterPart {
  return filterPart("pair-gap", (groups) => {
    const all = groups.flatMap(({ task, trajectories }) =>
      trajectories.map((scored) => ({ task, scored })),
    );
    const pairs = pairsByGap(
      all.map(({ scored }) => scored.score.reward),
      all.map(({ task }) => task),
      margin,
      rule,
    ).map(({ chosen, rejected }) => [idOf(all[chosen]), idOf(all[rejected])] as const);
    const paired = new Set(pairs.flat());
    const kept = keepTrajectories(groups, (trajectories) =>
      selectBy(trajectories, ({ trajectory }) => (paired.has(trajectory.id) ? null : "no-pair")),
    );
    return { ...kept, pairs };
  });
}

function idOf(entry: { readonly scored: RewardedTrajectory } | undefined): string {
  return entry?.scored.trajectory.id ?? "";
}

/** `step-mask`: the loss of chosen turns only. By default those that did not fail. */
export function stepMask(isChosen?: TurnRule): FilterPart {
  return made({ keptTurns: turnDial(isChosen, "ran") }, ({ keptTurns }) => {
    const keeps = turnRule(keptTurns, isChosen);
    return filterPart("step-mask", (groups) =>
      changeTrajectories(groups, (scored) =>
        withTurns(scored, (i) => keeps(turnOf(scored, i), scored.trajectory)),
      ),
    );
  });
}

/** `entropy-steps`: the loss of turns whose mean entropy lies above a quantile of the batch. */
export function entropySteps(quantile = 0.5): FilterPart {
  return filterPart("entropy-steps", (groups) => {
    const all = groups.flatMap(({ trajectories }) => trajectories);
    const means = all.map(({ trajectory }) =>
      trajectory.turns.map(({ sample, start, end }) => {
        const from = trajectory.samples[sample];
        const entropies = new Float64Array(from?.lossMask.length ?? 0);
        for (const { segment, start: at } of from?.spans ?? [])
          entropies.set(segment.entropies, at);
        return stepMeans(entropies, from?.lossMask ?? [], [{ start, end }])[0] ?? 0;
      }),
    );
    const kept = highEntropySteps(means, quantile);
    return changeTrajectories(groups, (scored) => {
      const wanted = kept[all.indexOf(scored)] ?? [];
      return withTurns(scored, (i) => wanted[i] === true);
    });
  });
}

/** `long-tail`: long trajectories weigh more. */
export function longTail(power = 0.5): FilterPart {
  return filterPart("long-tail", (groups) => {
    const all = groups.flatMap(({ trajectories }) => trajectories);
    const weights = horizonWeights(
      all.map(({ trajectory }) => Math.max(1, trajectory.turns.length)),
      power,
    );
    return changeTrajectories(groups, (scored) => {
      const weight = weights[all.indexOf(scored)] ?? 1;
      return {
        ...scored,
        tokenWeights: scored.tokenWeights.map((row) => Float64Array.from(row, (w) => w * weight)),
      };
    });
  });
}

/** `curated`: a small budget of trajectories that cover the most. */
export function curated(budget: number): FilterPart {
  return filterPart("curated", (groups) =>
    keepTrajectories(groups, (all) =>
      curatedWithin(
        all.map(({ trajectory, score }) => ({
          quality: Math.min(1, Math.max(0, score.reward)),
          tags: [
            ...new Set(trajectory.turns.flatMap((turn) => turn.toolCalls.map(({ name }) => name))),
          ],
        })),
        budget,
      ),
    ),
  );
}

/** `diversity-mix`: exact ratios over labels, as far as there is enough of each. */
export function diversityMix(
  ratios: Ratios,
  total: number,
  labelOf: (scored: RewardedTrajectory) => string,
): FilterPart {
  return made({ total: fixed(total) }, () =>
    filterPart("diversity-mix", (groups, { random }) =>
      keepTrajectories(groups, (all) =>
        mixedInRatio(all.map(labelOf), ratios, Math.min(total, all.length), random),
      ),
    ),
  );
}

/**
 * `band`: tasks whose pass rate lies around the frontier are rolled out.
 *
 * @param keyOf what tasks have their statistics in common; by default each has its own.
 */
export function passRateBand(
  band: Band = {},
  keyOf: (task: TaskReference) => string = (task) => JSON.stringify(task),
): FilterPart<"task-stats"> {
  return filterPart(
    "band",
    (groups, { state, step }) => {
      const observed = groups.reduce((statistics, { trajectories }) => {
        const task = trajectories[0]?.trajectory.record.task ?? null;
        if (task === null) return statistics;
        const rewards = trajectories.map(({ score }) => Math.min(1, Math.max(0, score.reward)));
        return observeTask(statistics, keyOf(task), rewards, step);
      }, state["task-stats"] as TaskStatistics);
      return { groups, dropped: new Map(), state: { "task-stats": observed } };
    },
    {
      needs: ["task-stats"],
      chooseTasks: (candidates, count, { state, step, random }) => {
        const statistics = state["task-stats"] as TaskStatistics;
        const rates = candidates.map((task) => passRateOf(statistics, keyOf(task), step).mean);
        return tasksInBand(rates, count, random, band).map((i) => candidates[i] as TaskReference);
      },
    },
  );
}

function turnOf({ trajectory }: RewardedTrajectory, i: number): JudgedTurn {
  return trajectory.turns[i] as JudgedTurn;
}

/** The trajectory with the loss of some turns only. */
function withTurns(
  scored: RewardedTrajectory,
  keeps: (turn: number) => boolean,
): RewardedTrajectory {
  return {
    ...scored,
    lossMask: scored.lossMask.map((mask, sample) => {
      const turns = scored.trajectory.turns.flatMap((turn, i) =>
        turn.sample === sample ? [{ turn, i }] : [],
      );
      return maskToSteps(
        mask,
        turns.map(({ turn }) => turn),
        (step) => keeps(turns[step]?.i ?? -1),
      );
    }),
  };
}
