/** Converts a run's logits to the result of one of its rows. */
import { sampleToken, scoreToken } from "../../sampler.ts";
import type { DecoderRow, RowResult } from "../decoder-backend.ts";

const NOTHING: RowResult = { sampled: null, scores: null };

/** Tokens of a row whose logits are needed, ascending. */
export function wantedTokens({ tokenIds, output }: DecoderRow): number[] {
  switch (output.kind) {
    case "none":
      return [];
    case "sample":
      return [tokenIds.length - 1];
    case "score":
      return [...output.targets.keys()].filter((s) => (output.targets[s] as number) >= 0);
  }
}

/** @param first - index of the row's first wanted token among the run's. */
export function resultOf(
  { output }: DecoderRow,
  run: { logits(index: number): Float32Array },
  first: number,
): RowResult {
  switch (output.kind) {
    case "none":
      return NOTHING;
    case "sample": {
      const { distribution, uniform, allowed } = output;
      const sampled = sampleToken(run.logits(first), distribution, uniform, allowed);
      return { sampled, scores: null };
    }
    case "score": {
      const { targets, distribution, kept, drawnAmong } = output;
      let next = first;
      const scores = targets.map((target, s) =>
        target < 0
          ? null
          : scoreToken(run.logits(next++), target, distribution, kept?.[s], drawnAmong?.[s]),
      );
      return { sampled: null, scores };
    }
  }
}
