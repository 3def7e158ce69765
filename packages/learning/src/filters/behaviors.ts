/**
 * `behavior`: selects demonstrations by the behaviors they show (checks its sources, recovers from errors),
 * not by success.
 *
 * Source: Behavior Priming ("Beneficial Reasoning Behaviors in Agentic Search").
 */
import { option, definePart } from "../composition/part-options.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import { requireInside } from "../statistics.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import type { Selection } from "./selected.ts";

/**
 * Keeps trajectories that show at least `least` of the wanted behaviors and none of the unwanted.
 *
 * @param shown - `[N]` behaviors of each trajectory, from a tagger.
 */
export function showingBehaviors(
  shown: readonly (readonly string[])[],
  wanted: readonly string[],
  least: number,
  unwanted: readonly string[] = [],
): Selection {
  requireInside("least", least, 1, wanted.length);
  return selectBy(shown, (behaviors) => {
    const own = new Set(behaviors);
    if (unwanted.some((behavior) => own.has(behavior))) return "unwanted-behavior";
    return wanted.filter((behavior) => own.has(behavior)).length >= least ? null : "few-behaviors";
  });
}

/**
 * `checks` the environment before answering; `goes-on` with another call after a result; `recovers` from a
 * failed call; `answers` at the end.
 */
type Behavior = "checks" | "goes-on" | "recovers" | "answers";

function behaviorsOf({ turns }: JudgedTrajectory): readonly Behavior[] {
  const calls = turns.filter(({ toolCalls }) => toolCalls.length > 0);
  const failed = turns.findIndex(({ toolResults }) => toolResults.some(({ ok }) => !ok));
  const shown: readonly (readonly [Behavior, boolean])[] = [
    ["checks", calls.length > 0],
    ["goes-on", calls.length > 1],
    [
      "recovers",
      failed >= 0 && turns.slice(failed + 1).some(({ toolCalls }) => toolCalls.length > 0),
    ],
    ["answers", turns.at(-1)?.toolCalls.length === 0],
  ];
  return shown.flatMap(([behavior, isShown]) => (isShown ? [behavior] : []));
}

/** Keeps trajectories that show at least `least` of the wanted behaviors. */
export function behavior(
  wanted: readonly Behavior[] = ["checks", "goes-on", "recovers", "answers"],
  least?: number,
): FilterPart {
  return definePart({ behaviorLeast: option(least, 3) }, ({ behaviorLeast: least }) =>
    filterPart("behavior", (groups) =>
      keepTrajectories(groups, (all) =>
        showingBehaviors(
          all.map(({ trajectory }) => behaviorsOf(trajectory)),
          wanted,
          least,
        ),
      ),
    ),
  );
}
