/** Number formats of the pages. */
import type { Spread } from "@waggle/evaluation";

/** `12.3 %` of a share in [0, 1]. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A signed difference of shares in percentage points, `+1.2`. */
export function points(share: number): string {
  return `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}`;
}

/** `12.3 ± 0.4 %` of shares. */
export function percentSpread({ mean, deviation }: Spread): string {
  return `${(100 * mean).toFixed(1)} ± ${(100 * deviation).toFixed(1)} %`;
}

/** `+1.2 ± 0.4` in percentage points. */
export function pointSpread({ mean, deviation }: Spread): string {
  return `${points(mean)} ± ${(100 * deviation).toFixed(1)}`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function pText(p: number): string {
  if (p >= 0.001) return p.toFixed(3);
  return p === 0 ? "< 1e-300" : p.toExponential(0);
}
