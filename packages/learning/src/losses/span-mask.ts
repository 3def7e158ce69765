/**
 * A loss on selected spans only: the planner's turns, a reflection, one agent of a team, or tool names
 * without their arguments. The parts `span-mask`, `struct-tok` and the step masks of imitation (ATLaS:
 * critical steps; EEF: the useful steps of failed experts; errors are not imitated) share this mask and
 * differ in the spans that they select.
 *
 * Sources: Li et al. 2025, "In-the-Flow Agentic System Optimization" (Flow-GRPO), arXiv:2510.05592; Bensal et
 * al. 2025, "Reflect, Retry, Reward", arXiv:2505.24726; Chen et al. 2025, "ATLaS", arXiv:2503.02197; Lan et
 * al. 2025, "Exploring Expert Failures" (EEF), arXiv:2504.13145.
 */
import { WaggleError } from "@waggle/protocol";
import { definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import type { LossMask } from "../token-rows.ts";
import { lossPart } from "./loss-part.ts";
import { turnOption, type TurnRule, turnRule } from "./turn-rules.ts";

/** Tokens `[start, end)` of sequence `row`, with a label. */
export type LabeledSpan = {
  readonly row: number;
  readonly start: number;
  readonly end: number;
  readonly label: string;
};

/**
 * The mask restricted to spans with a wanted label. It never adds a token: given tokens stay masked.
 *
 * @throws WaggleError `SHAPE_MISMATCH` for a span that is not inside its sequence.
 */
export function maskSpans(
  lossMask: LossMask,
  spans: readonly LabeledSpan[],
  isWanted: (label: string) => boolean,
): boolean[][] {
  const wanted = lossMask.map((row) => row.map(() => false));
  for (const { row, start, end, label } of spans) {
    const target = wanted[row];
    if (target === undefined || start < 0 || end > target.length || start > end) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `span [${start}, ${end}) is outside row ${row}, which has ${target?.length ?? 0} tokens; take spans from the samples of this minibatch`,
      );
    }
    if (isWanted(label)) target.fill(true, start, end);
  }
  return lossMask.map((row, b) => row.map((kept, t) => kept && wanted[b]?.[t] === true));
}

/**
 * `span-mask`: `inner` on selected turns only. Default: all turns, which changes nothing, because tokens of
 * tools and users carry no loss anyway.
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

/** `inner` on the turns that a rule selects. */
export function onTurns<N extends StateName>(
  part: string,
  inner: LossPart<N>,
  isWanted: TurnRule,
): LossPart<N> {
  return lossPart(
    part,
    (minibatch, context) => {
      const spans = minibatch.trajectories.flatMap(({ trajectory }, row) =>
        trajectory.turns.flatMap((turn): LabeledSpan[] => {
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
