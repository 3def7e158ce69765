/** What a step's episodes came to, as numbers for a report. */
import { type Episode, sampledTokens, toolCalls } from "@waggle/learning";

export function episodeMetrics(episodes: readonly Episode[]): { readonly [name: string]: number } {
  return {
    successRate: mean(episodes.map(({ verification }) => (verification.success ? 1 : 0))),
    rewardMean: mean(episodes.map(({ verification }) => verification.reward)),
    toolCallsMean: mean(episodes.map(toolCalls)),
    sampledTokensMean: mean(episodes.map(sampledTokens)),
  };
}

/** False where a group of several scored alike. */
export function hasSignal(episodes: readonly Episode[]): boolean {
  const rewards = episodes.map(({ verification }) => verification.reward);
  return rewards.length < 2 || Math.max(...rewards) - Math.min(...rewards) > 1e-6;
}

/** 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
