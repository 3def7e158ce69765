/** A rate with its 95 % interval, as a bar. */
import { successRate } from "@waggle/evaluation";
import { h } from "@waggle/embed/dom";
import { formatPercent } from "./format.ts";

/** @param trials - at least 1. */
export function rateBar(successes: number, trials: number): HTMLElement {
  const { rate, interval } = successRate(Array.from({ length: trials }, (_, i) => i < successes));
  const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
  return h(
    "span",
    {
      class: "rate-bar",
      title: `95 % interval ${formatPercent(interval.low)} to ${formatPercent(interval.high)}`,
    },
    h("i", { class: "rate-fill", style: `width:${percent(rate)}` }),
    h("i", {
      class: "rate-interval",
      style: `left:${percent(interval.low)};width:${percent(interval.high - interval.low)}`,
    }),
  );
}
