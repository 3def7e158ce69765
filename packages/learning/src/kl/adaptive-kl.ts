/**
 * A KL coefficient that follows a target: a budget of nats instead of a weight that has to be guessed.
 *
 * Source: Ziegler et al. 2019, arXiv:1909.08593, section 2.2.
 */
import { kept, type StatePart } from "../composition/state.ts";

export type AdaptiveKl = {
  /** Nats a token that the divergence should settle at, > 0. */
  readonly target: number;
  /** Samples over which the coefficient may change by the factor e^0.2, about. */
  readonly horizon: number;
};

/** The next coefficient: × (1 + clip(kl/target − 1, ±0.2) · samples / horizon). */
export function nextKlCoefficient(
  coefficient: number,
  measured: { readonly kl: number; readonly samples: number },
  { target, horizon }: AdaptiveKl,
): number {
  const error = Math.min(0.2, Math.max(-0.2, measured.kl / target - 1));
  return coefficient * (1 + (error * measured.samples) / horizon);
}

/** @param start - what the first step weighs the term with, > 0: a weight of 0 never moves. */
export function klCoefficient(start: number): StatePart<"kl-coefficient"> {
  return kept("kl-coefficient", () => start);
}
