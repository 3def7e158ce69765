/**
 * `tool-benefit`: what episodes with tools win over those without says whether a task needs them. It
 * picks tasks, or labels them for a loss beside the policy's; it is no penalty.
 */
import type { FilterPart, LossPart, ScoredEpisode, ScoredGroup } from "../composition/part.ts";
import { type ToolBenefit, toolBenefit } from "../filters/tool-benefit.ts";
import { supervisedLoss } from "../losses/supervised-loss.ts";
import { filterPart } from "./filter-part.ts";
import { lossPart } from "./loss-part.ts";

/** The role of episodes that were given no tool. */
const ALONE = "alone";
/** Component of the scores that holds the label: 1 tools are needed, −1 they are not, 0 nobody can say. */
const NEED = "toolNeed";

function benefitOf({ episodes }: ScoredGroup): ToolBenefit {
  const rewards = (isAlone: boolean): number[] =>
    episodes
      .filter(({ episode }) => (episode.role === ALONE) === isAlone)
      .map(({ score }) => score.reward);
  return toolBenefit(rewards(false), rewards(true));
}

/** Tasks that tools help with, and of them the episodes that had some. */
export function whereToolsHelp(): FilterPart {
  return filterPart("tool-benefit", (groups) => {
    const dropped = new Map<string, string>();
    const kept: ScoredGroup[] = [];
    for (const group of groups) {
      const { label } = benefitOf(group);
      for (const { episode } of group.episodes) {
        if (episode.role === ALONE) dropped.set(episode.id, "for-comparison");
        else if (label !== "beyond") dropped.set(episode.id, `tools-${label}`);
      }
      if (label !== "beyond") continue;
      const episodes = group.episodes.filter(({ episode }) => episode.role !== ALONE);
      kept.push({ ...group, episodes });
    }
    return { groups: kept, dropped };
  });
}

/** Both arms are kept, each a group of its own; episodes carry the label of their task. */
export function toolNeedLabels(): FilterPart {
  return filterPart("tool-benefit", (groups) => ({
    groups: groups.flatMap((group) => {
      const { label } = benefitOf(group);
      const need = label === "beyond" ? 1 : label === "hopeless" ? 0 : -1;
      const labelled = group.episodes.map((scored): ScoredEpisode => ({
        ...scored,
        score: {
          ...scored.score,
          components: { ...scored.score.components, [NEED]: need },
        },
      }));
      const arm = (isAlone: boolean): ScoredEpisode[] =>
        labelled.filter(({ episode }) => (episode.role === ALONE) === isAlone);
      return [
        { task: group.task, episodes: arm(false) },
        { task: `${group.task}/${ALONE}`, episodes: arm(true) },
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
      const { episode, score } = minibatch.episodes[row] as ScoredEpisode;
      const need = score.components?.[NEED] ?? 0;
      const calls = episode.turns.some(({ toolCalls }) => toolCalls.length > 0);
      const isRight =
        episode.verification.success && (need > 0 ? calls : need < 0 ? !calls : false);
      const wanted = episode.turns.filter(
        (turn) => turn.sample === minibatch.samples[row] && (need < 0 || turn.toolCalls.length > 0),
      );
      return mask.map(
        (counts, t) => counts && isRight && wanted.some(({ start, end }) => t >= start && t < end),
      );
    });
    return supervisedLoss({ ...minibatch, weights: undefined, lossMask });
  });
}
