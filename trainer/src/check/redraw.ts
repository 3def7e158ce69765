/**
 * Draws the tokens of a trajectory again. A page samples token `t` of a segment with number `t` of the generator that
 * the segment's seed starts, so a token that another way of writing chose is rarely the one that this number selects.
 *
 * Every token is checked in its recorded context, so one token that differs says nothing about those after it. A token
 * that was the only one allowed is selected by every number.
 */
import { drawGap } from "@waggle/learning";
import {
  type DrawInterval,
  type SampledSegment,
  sfc32,
  type TrainingSample,
  type Trajectory,
} from "@waggle/protocol";

/** What honest clients stay within. */
export type DrawBand = {
  /** Largest change of the logits, in nats, that explains a token; see `drawGap`. */
  readonly gap: number;
  /** Tokens of one trajectory that may be outside it. */
  readonly mismatches: number;
};

/** For weights in plain numbers, calibrated in docs/evidence/redrawing.md. */
export const DRAW_BAND: DrawBand = { gap: 2e-3, mismatches: 0 };

/** Back ends of this runtime, which all draw as its sampler does. */
const OWN_BACKENDS: ReadonlySet<string> = new Set(["webgpu", "wasm", "node-cpu", "node-webgpu"]);

/**
 * Whether its tokens were drawn by this runtime. A seed that the edge gave was given to it, whatever the record says
 * about the client.
 */
export function isRedrawable({ samplingSeed, client }: Trajectory): boolean {
  return samplingSeed !== undefined || OWN_BACKENDS.has(client.backend);
}

/** Whether top-k or top-p decided what could be drawn. */
export function isCut({ sampling }: SampledSegment): boolean {
  return sampling.topK > 0 || sampling.topP < 1;
}

/** The trajectory without recorded kept sets, so that only grammars restrict what could be drawn. */
export function withoutKeptSets(trajectory: Trajectory): Trajectory {
  return {
    ...trajectory,
    segments: trajectory.segments.map((segment) => {
      if (segment.kind === "given") return segment;
      const { keptTokenIds: _, ...rest } = segment;
      return rest;
    }),
  };
}

/**
 * For each sampled token, the smallest change of the logits, in nats, with which its seed selects it.
 *
 * @param intervals - `[samples][T]`.
 */
export function drawGaps(
  samples: readonly TrainingSample[],
  intervals: readonly (readonly (DrawInterval | null)[])[],
): number[] {
  return samples.flatMap(({ spans }, i) =>
    spans.flatMap(({ segment, start }) => {
      const { seed, temperature } = segment.sampling;
      const random = sfc32(seed);
      return segment.tokenIds.map((_, t) => {
        const uniform = random();
        const interval = intervals[i]?.[start + t] ?? null;
        return interval === null ? Infinity : drawGap(uniform, interval, temperature);
      });
    }),
  );
}
