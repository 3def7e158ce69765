/** Filter parts: which episodes, tokens and pairs a stage learns from. */
import type { FilterPart, ScoredGroup } from "../composition/part.ts";
import { zeroVarianceFilter } from "../filters/group-filter.ts";

/** `mixed-group`: groups whose rewards do not differ are left out; the driver rolls out others. */
export function mixedGroup(tolerance = 1e-6): FilterPart {
  const reasonFor = zeroVarianceFilter(tolerance);
  return {
    slot: "filter",
    part: "mixed-group",
    needs: [],
    apply: (groups) => {
      const dropped = new Map<string, string>();
      const kept: ScoredGroup[] = [];
      for (const group of groups) {
        const reason = reasonFor(group.episodes.map(({ score }) => score.reward));
        if (reason === null) kept.push(group);
        else for (const { episode } of group.episodes) dropped.set(episode.id, reason);
      }
      return { groups: kept, dropped };
    },
  };
}

/** `success`: verified successes alone. */
export function success(): FilterPart {
  return {
    slot: "filter",
    part: "success",
    needs: [],
    apply: (groups) => {
      const dropped = new Map<string, string>();
      const kept = groups.map(({ task, episodes }) => ({
        task,
        episodes: episodes.filter(({ episode }) => {
          if (!episode.verification.success) dropped.set(episode.id, "no-success");
          return episode.verification.success;
        }),
      }));
      return { groups: kept.filter(({ episodes }) => episodes.length > 0), dropped };
    },
  };
}
