/**
 * An adaptive KL coefficient: you set a target divergence in nats instead of a fixed weight.
 *
 * Source: Ziegler et al. 2019, arXiv:1909.08593, section 2.2.
 */
import { kept, type StatePart } from "../composition/state.ts";

export type AdaptiveKl = {
  /** Target divergence in nats per token, > 0. */
  readonly target: number;
  /** Number of samples over which the coefficient changes by at most a factor of about e^0.2. */
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

/** @param start - the coefficient of the first step, > 0; it could never grow from 0. */
export function klCoefficient(start: number): StatePart<"kl-coefficient"> {
  return kept("kl-coefficient", () => start);
}
