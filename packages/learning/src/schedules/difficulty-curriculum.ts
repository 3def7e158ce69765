/**
 * `diff-curr`: difficulty rises when the policy has earned it and falls back when it has not. A plain
 * value; each group of results gives the next one.
 *
 * Source: MaskSearch (curriculum by number of masks), Environment Tuning, AgentGL.
 */
import { meanOf, requireInside } from "../statistics.ts";

export type DifficultyRule = {
  readonly levels: number;
  /** Mean reward over the window from which the level rises. */
  readonly riseAt: number;
  /** Below it the level falls; lower than `riseAt`, so that it does not flutter. Default: never. */
  readonly fallAt?: number;
  /** Results that are looked at; a change empties it. */
  readonly window: number;
};

export type DifficultyState = {
  /** 0 (easiest) to levels − 1. */
  readonly level: number;
  /** Newest results at this level. */
  readonly recent: readonly number[];
};

/** Where a curriculum starts; switched off it starts, and stays, at the hardest level. */
export function firstDifficulty(rule: DifficultyRule, isOn: boolean = true): DifficultyState {
  requireInside("levels", rule.levels, 1, Number.MAX_SAFE_INTEGER);
  requireInside("fallAt", rule.fallAt ?? 0, 0, rule.riseAt);
  return { level: isOn ? 0 : rule.levels - 1, recent: [] };
}

/** The state after rewards at the present level. A level is judged on a full window only. */
export function nextDifficulty(
  rule: DifficultyRule,
  state: DifficultyState,
  rewards: readonly number[],
): DifficultyState {
  const recent = [...state.recent, ...rewards].slice(-rule.window);
  if (recent.length < rule.window) return { ...state, recent };
  const mean = meanOf(recent);
  if (mean >= rule.riseAt && state.level < rule.levels - 1) {
    return { level: state.level + 1, recent: [] };
  }
  if (rule.fallAt !== undefined && mean < rule.fallAt && state.level > 0) {
    return { level: state.level - 1, recent: [] };
  }
  return { ...state, recent };
}

/** The level as the environments' dial, 0 to 1; 0.5 where there is one level only. */
export function difficultyDial({ levels }: DifficultyRule, { level }: DifficultyState): number {
  return levels === 1 ? 0.5 : level / (levels - 1);
}
