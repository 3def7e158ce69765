/** Reward parts: what an episode is worth. */
import type { EpisodeGroup } from "../composition/episode.ts";
import { sampledTokens, toolCalls } from "../composition/episode.ts";
import type { RewardPart, Score } from "../composition/part.ts";
import { economyReward, type EconomySwitch, type Prices, usageCost } from "../rewards/economy.ts";
import { type OutcomeKind, outcomeReward } from "../rewards/outcome.ts";

function perEpisode(
  part: string,
  score: (episode: EpisodeGroup["episodes"][number]) => Score,
): RewardPart {
  return { slot: "reward", part, needs: [], score: ({ episodes }) => episodes.map(score) };
}

/** `outcome`: what the verifier says at the end. */
export function outcome(kind: OutcomeKind = "score"): RewardPart {
  return perEpisode("outcome", ({ verification }) => ({
    reward: outcomeReward(verification, kind),
  }));
}

/** `economy`: the outcome, minding what calls, turns and tokens cost. */
export function economy(prices: Prices, how: EconomySwitch = { kind: "scalar" }): RewardPart {
  return perEpisode("economy", (episode) => {
    const cost = usageCost(
      {
        toolCalls: toolCalls(episode),
        turns: episode.turns.length,
        sampledTokens: sampledTokens(episode),
      },
      prices,
    );
    return {
      reward: economyReward(episode.verification, cost, how),
      components: { outcome: episode.verification.reward, cost },
    };
  });
}
