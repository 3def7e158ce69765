/** Attempts in words, for a writer or a case: as the trainer tells them, else by their calls and results. */
import type { Episode } from "../composition/episode.ts";
import type { EpisodeText, PartContext, ScoredEpisode } from "../composition/part.ts";
import { callsAndResults } from "../recipes/calls-and-results.ts";
import type { ReadAttempt } from "../gradient-free/prompt-writing.ts";

export function textOf(episode: Episode, { ports }: PartContext): EpisodeText {
  return ports.describe?.(episode) ?? callsAndResults(episode);
}

export function readAttempt({ episode, score }: ScoredEpisode, context: PartContext): ReadAttempt {
  return {
    ...textOf(episode, context),
    reward: score.reward,
    prompt: episode.read?.ids["prompts"]?.[0] ?? null,
  };
}
