/**
 * `tool-benefit`: what trajectories with tools win over those without says whether a task needs them. It
 * picks tasks, or labels them for a loss beside the policy's; it is no penalty.
 */
import type {
  FilterPart,
  LossPart,
  RewardedTrajectory,
  RewardedGroup,
} from "../composition/part.ts";
import { type ToolBenefit, toolBenefit } from "../filters/tool-benefit.ts";
import { supervisedLoss } from "../losses/supervised-loss.ts";
import { filterPart } from "./filter-part.ts";
import { lossPart } from "./loss-part.ts";

/** The role of trajectories that were given no tool. */
const ALONE = "alone";
/** Component of the scores that holds the label: 1 tools are needed, −1 they are not, 0 nobody can say. */
const NEED = "toolNeed";

function benefitOf({ trajectories }: RewardedGroup): ToolBenefit {
  const rewards = (isAlone: boolean): number[] =>
    trajectories
      .filter(({ trajectory }) => (trajectory.role === ALONE) === isAlone)
      .map(({ score }) => score.reward);
  return toolBenefit(rewards(false), rewards(true));
}

/** Tasks that tools help with, and of them the trajectories that had some. */
export function whereToolsHelp(): FilterPart {
  return filterPart("tool-benefit", (groups) => {
    const dropped = new Map<string, string>();
    const kept: RewardedGroup[] = [];
    for (const group of groups) {
      const { label } = benefitOf(group);
      for (const { trajectory } of group.trajectories) {
        if (trajectory.role === ALONE) dropped.set(trajectory.id, "for-comparison");
        else if (label !== "beyond") dropped.set(trajectory.id, `tools-${label}`);
      }
      if (label !== "beyond") continue;
      const trajectories = group.trajectories.filter(({ trajectory }) => trajectory.role !== ALONE);
      kept.push({ ...group, trajectories });
    }
    return { groups: kept, dropped };
  });
}

/** Both arms are kept, each a group of its own; trajectories carry the label of their task. */
export function toolNeedLabels(): FilterPart {
  return filterPart("tool-benefit", (groups) => ({
    groups: groups.flatMap((group) => {
      const { label } = benefitOf(group);
      const need = label === "beyond" ? 1 : label === "hopeless" ? 0 : -1;
      const labelled = group.trajectories.map((scored): RewardedTrajectory => ({
        ...scored,
        score: {
          ...scored.score,
          components: { ...scored.score.components, [NEED]: need },
        },
      }));
      const arm = (isAlone: boolean): RewardedTrajectory[] =>
        labelled.filter(({ trajectory }) => (trajectory.role === ALONE) === isAlone);
      return [
        { task: group.task, trajectories: arm(false) },
        { task: `${group.task}/${ALONE}`, trajectories: arm(true) },
      ];
    }),
    dropped: new Map(),
  }));
}

/**
 * `aux`: cross-entropy of the right way: where tools are needed, the calls of successes; where they are
 * not, successes that called nothing.
 */
export function auxiliaryToolNeed(): LossPart {
  return lossPart("aux", (minibatch) => {
    const lossMask = minibatch.lossMask.map((mask, row) => {
      const { trajectory, score } = minibatch.trajectories[row] as RewardedTrajectory;
      const need = score.components?.[NEED] ?? 0;
      const calls = trajectory.turns.some(({ toolCalls }) => toolCalls.length > 0);
      const isRight =
        trajectory.verification.success && (need > 0 ? calls : need < 0 ? !calls : false);
      const wanted = trajectory.turns.filter(
        (turn) => turn.sample === minibatch.samples[row] && (need < 0 || turn.toolCalls.length > 0),
      );
      return mask.map(
        (counts, t) => counts && isRight && wanted.some(({ start, end }) => t >= start && t < end),
      );
    });
    return supervisedLoss({ ...minibatch, weights: undefined, lossMask });
  });
}
