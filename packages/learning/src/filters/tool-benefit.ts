/**
 * `tool-benefit`: labels a task by the reward that its rollouts with tools gain over those without. The label
 * selects data or adds supervision; it is not a penalty.
 *
 * Source: AKBE (knowledge boundary by paired rollouts), DeepEyesV2 (data where tools help).
 */
import type { FilterPart, RewardedGroup, RewardedTrajectory } from "../composition/part.ts";
import { meanOf, requireInside } from "../statistics.ts";
import { filterPart } from "./filter-part.ts";

/** How much tools help with a task. */
export type ToolBenefit = {
  /**
   * `inside`: solved without tools. `beyond`: needs tools. `hopeless`: unsolved with and without. `harmful`:
   * tools reduce the reward.
   */
  readonly label: "inside" | "beyond" | "hopeless" | "harmful";
  /** Mean with tools minus mean without. */
  readonly gain: number;
};

/**
 * Compares rollouts with and without tools.
 *
 * @param withTools - rewards of the group with tools, at least one.
 * @param without - of the group without.
 * @param solvedFrom - mean reward from which a task counts as solved. Default 0.5.
 * @param margin - gain below which the groups count as equal. Default 0.1.
 */
export function toolBenefit(
  withTools: readonly number[],
  without: readonly number[],
  solvedFrom: number = 0.5,
  margin: number = 0.1,
): ToolBenefit {
  requireInside("rollouts with tools", withTools.length, 1, Number.MAX_SAFE_INTEGER);
  requireInside("rollouts without tools", without.length, 1, Number.MAX_SAFE_INTEGER);
  const [tools, alone] = [meanOf(withTools), meanOf(without)];
  const gain = tools - alone;
  if (gain < -margin) return { label: "harmful", gain };
  if (alone >= solvedFrom) return { label: "inside", gain };
  return { label: gain > margin ? "beyond" : "hopeless", gain };
}

/** The role of trajectories without tools. */
const ALONE = "alone";

/** Component of the reward that holds the label: 1 tools are needed, −1 they are not, 0 unknown. */
export const NEED = "toolNeed";

function benefitOf({ trajectories }: RewardedGroup): ToolBenefit {
  const rewards = (isAlone: boolean): number[] =>
    trajectories
      .filter(({ trajectory }) => (trajectory.role === ALONE) === isAlone)
      .map(({ reward }) => reward.total);
  return toolBenefit(rewards(false), rewards(true));
}

/** Keeps tasks that tools help with, and only their trajectories with tools. */
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

/** Keeps both kinds of rollouts as separate groups; each trajectory carries the label of its task. */
export function toolNeedLabels(): FilterPart {
  return filterPart("tool-benefit", (groups) => ({
    groups: groups.flatMap((group) => {
      const { label } = benefitOf(group);
      const need = label === "beyond" ? 1 : label === "hopeless" ? 0 : -1;
      const labeled = group.trajectories.map((rewarded): RewardedTrajectory => ({
        ...rewarded,
        reward: {
          ...rewarded.reward,
          components: { ...rewarded.reward.components, [NEED]: need },
        },
      }));
      const arm = (isAlone: boolean): RewardedTrajectory[] =>
        labeled.filter(({ trajectory }) => (trajectory.role === ALONE) === isAlone);
      return [
        { task: group.task, trajectories: arm(false) },
        { task: `${group.task}/${ALONE}`, trajectories: arm(true) },
      ];
    }),
    dropped: new Map(),
  }));
}
