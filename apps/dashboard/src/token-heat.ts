/**
 * Surprisal of a token as a number in [0, 1], for coloring. Linear in nats: 0 at probability 1, and 1 at
 * probability 1 % or below. It does not say whether the token is right or wrong.
 */

/** −ln(0.01): surprisal with full color. */
const FULL_HEAT_NATS: number = -Math.log(0.01);

/** Quantities that tokens can be colored by, all in nats. */
export type TokenMeasure = "behavior" | "raw" | "entropy";

/** Heat in [0, 1]. `value` is a log-prob or an entropy. */
export function tokenHeat(measure: TokenMeasure, value: number): number {
  const nats = measure === "entropy" ? value : -value;
  return Math.min(1, Math.max(0, nats / FULL_HEAT_NATS));
}

/** Stops of the legend: heat and label. */
export function heatLegend(measure: TokenMeasure): { heat: number; label: string }[] {
  if (measure === "entropy") {
    return [0, 0.5, 1].map((heat) => ({
      heat,
      label: `${(heat * FULL_HEAT_NATS).toFixed(1)} nats`,
    }));
  }
  return [1, 0.5, 0.1, 0.01].map((p) => ({
    heat: tokenHeat("behavior", Math.log(p)),
    label: p === 0.01 ? "≤ 1 %" : `${p * 100} %`,
  }));
}
