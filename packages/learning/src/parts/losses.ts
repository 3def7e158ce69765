/** Loss parts: what a minibatch's tokens are pushed by. */
import type { Episode, EpisodeTurn } from "../composition/episode.ts";
import type { LossPart, Minibatch } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import type { LossResult } from "../loss.ts";
import { truncatedImportanceWeights } from "../corrections/importance-weights.ts";
import { clippedSurrogate } from "../losses/clipped-surrogate.ts";
import type { RatioBounds } from "../losses/ratio-bounds.ts";
import { type LabelledSpan, spanMask as maskSpans } from "../losses/span-mask.ts";
import { supervisedLoss } from "../losses/supervised-loss.ts";

function loss(part: string, compute: (minibatch: Minibatch) => LossResult): LossPart {
  return { slot: "loss", part, needs: [], compute };
}

/** `pg-clip`: the surrogate with the ratio clipped at 1 ± epsilon. */
export function pgClip(epsilon = 0.2): LossPart {
  return loss("pg-clip", (minibatch) =>
    clippedSurrogate(minibatch, { lower: epsilon, upper: epsilon }, minibatch),
  );
}

/** `clip-high`: the upper bound is the wider one. */
export function clipHigh(lower = 0.2, upper = 0.28): LossPart {
  return loss("clip-high", (minibatch) => clippedSurrogate(minibatch, { lower, upper }, minibatch));
}

/** `tis`: the clipped surrogate, weighed by min(proximal / behavior, cap). */
export function truncatedSurrogate(cap = 2, bounds?: RatioBounds): LossPart {
  return loss("tis", (minibatch) => {
    const { weights } = truncatedImportanceWeights(minibatch, cap);
    const both = weights.map((row, b) => row.map((w, t) => w * (minibatch.weights[b]?.[t] ?? 1)));
    return clippedSurrogate(
      { ...minibatch, weights: both },
      bounds ?? { lower: 0.2, upper: 0.28 },
      minibatch,
    );
  });
}

/** `ce`: cross-entropy of the tokens that count. */
export function crossEntropy(): LossPart {
  return loss("ce", (minibatch) => supervisedLoss(minibatch, minibatch));
}

/**
 * `span-mask`: a loss on chosen turns only. By default on all of them, which is what a sampled token's
 * mask says anyway: what tools and users said carries no loss.
 */
export function spanMask<N extends StateName>(
  inner: LossPart<N>,
  isWanted: (turn: EpisodeTurn, episode: Episode) => boolean = () => true,
): LossPart<N> {
  return {
    slot: "loss",
    part: "span-mask",
    needs: inner.needs,
    around: [inner],
    compute: (minibatch, context) => {
      const spans = minibatch.episodes.flatMap(({ episode }, row) =>
        episode.turns.flatMap((turn): LabelledSpan[] => {
          const { start, end } = turn;
          if (turn.sample !== minibatch.samples[row]) return [];
          return [{ row, start, end, label: isWanted(turn, episode) ? "wanted" : "other" }];
        }),
      );
      const lossMask = maskSpans(minibatch.lossMask, spans, (label) => label === "wanted");
      return inner.compute({ ...minibatch, lossMask }, context);
    },
  };
}
