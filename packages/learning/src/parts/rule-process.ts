/** `process` by rule: what single turns are worth is read off their calls and results; no model judges. */
import { calibratedByOutcome } from "../advantages/step-mix.ts";
import type { Episode } from "../composition/episode.ts";
import type { RewardPart } from "../composition/part.ts";
import { outcome, rewardPart } from "./rewards.ts";

/** `[turns]` 1 for calls that ran and were new, 0 for others; a turn in words counts as new. */
function newAndRan({ turns }: Episode): number[] {
  const made = new Set<string>();
  return turns.map(({ toolCalls, toolResults }) => {
    const calls = toolCalls.map((call) => JSON.stringify([call.name, call.arguments]));
    const isNew = calls.length === 0 || calls.some((call) => !made.has(call));
    for (const call of calls) made.add(call);
    return isNew && toolResults.every(({ ok }) => ok) ? 1 : 0;
  });
}

/** Scores of turns move around the outcome by at most `spread`; the reward itself stays the outcome. */
export function ruleProcess(
  scoresOf: (episode: Episode) => readonly number[] = newAndRan,
  spread = 0.25,
): RewardPart {
  const calibrated = rewardPart("process", (episode) => {
    const { reward } = episode.verification;
    if (episode.turns.length === 0) return { reward };
    return { reward, turnRewards: calibratedByOutcome(reward, scoresOf(episode), spread) };
  });
  return { ...calibrated, around: [outcome()] };
}
