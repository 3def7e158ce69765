/**
 * `tool-benefit`: a task is labelled by what its rollouts with tools win over those without. The label
 * picks data, or adds supervision; it is not a penalty.
 *
 * Source: AKBE (knowledge boundary by paired rollouts), DeepEyesV2 (data where tools help).
 */
import { meanOf, requireInside } from "../statistics.ts";

export type ToolBenefit = {
  /** `inside`: solved without tools. `beyond`: tools are needed. `hopeless`: neither. `harmful`: tools lose. */
  readonly label: "inside" | "beyond" | "hopeless" | "harmful";
  /** Mean with tools minus mean without. */
  readonly gain: number;
};

/**
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
