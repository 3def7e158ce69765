/**
 * A loss on chosen spans only: the planner's turns, a reflection, one agent of a team, tool names and
 * not their arguments. The parts `span-mask`, `struct-tok` and the step masks of imitation (ATLaS: critical
 * steps; EEF: the useful steps of failed experts; errors are not imitated) differ in which spans are
 * named, not in this.
 *
 * Sources: Li et al. 2025, "In-the-Flow Agentic System Optimization" (Flow-GRPO), arXiv:2510.05592;
 * Bensal et al. 2025, "Reflect, Retry, Reward", arXiv:2505.24726; Chen et al. 2025, "ATLaS",
 * arXiv:2503.02197; Lan et al. 2025, "Exploring Expert Failures" (EEF), arXiv:2504.13145.
 */
import { WaggleError } from "@waggle/protocol";
import { definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import type { LossMask } from "../token-rows.ts";
import { lossPart } from "./loss-part.ts";
import { turnOption, type TurnRule, turnRule } from "./turn-rules.ts";

/** Tokens `[start, end)` of sequence `row`, and what they are. */
export type LabelledSpan = {
  readonly row: number;
  readonly start: number;
  readonly end: number;
  readonly label: string;
};

/**
 * The mask without the tokens outside every span whose label is wanted. It never adds a token: what
 * was not sampled stays out.
 *
 * @throws WaggleError `SHAPE_MISMATCH` for a span that does not lie in its sequence.
 */
export function maskSpans(
  lossMask: LossMask,
  spans: readonly LabelledSpan[],
  isWanted: (label: string) => boolean,
): boolean[][] {
  const wanted = lossMask.map((row) => row.map(() => false));
  for (const { row, start, end, label } of spans) {
    const target = wanted[row];
    if (target === undefined || start < 0 || end > target.length || start > end) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `a span must lie in its sequence, got [${start}, ${end}) of row ${row} with ${target?.length ?? 0} tokens; take spans from the samples of this minibatch`,
      );
    }
    if (isWanted(label)) target.fill(true, start, end);
  }
  return lossMask.map((row, b) => row.map((kept, t) => kept && wanted[b]?.[t] === true));
}

/**
 * `span-mask`: `inner` on chosen turns only. By default on all of them, which is what a sampled token's
 * mask says anyway: what tools and users said carries no loss.
 */
export function spanMask<N extends StateName>(
  inner: LossPart<N>,
  isChosen?: TurnRule,
): LossPart<N> {
  return definePart(
    { spanTurns: turnOption(isChosen, "all") },
    ({ spanTurns }, [loss]) => onTurns("span-mask", loss, turnRule(spanTurns, isChosen)),
    [inner],
  );
}

/** `inner` on the turns that a rule wants. */
export function onTurns<N extends StateName>(
  part: string,
  inner: LossPart<N>,
  isWanted: TurnRule,
): LossPart<N> {
  return lossPart(
    part,
    (minibatch, context) => {
      const spans = minibatch.trajectories.flatMap(({ trajectory }, row) =>
        trajectory.turns.flatMap((turn): LabelledSpan[] => {
          const { start, end } = turn;
          if (turn.sample !== minibatch.samples[row]) return [];
          return [{ row, start, end, label: isWanted(turn, trajectory) ? "wanted" : "other" }];
        }),
      );
      const lossMask = maskSpans(minibatch.lossMask, spans, (label) => label === "wanted");
      return inner.compute({ ...minibatch, lossMask }, context);
    },
    { ...inner, around: [inner] },
  );
}
