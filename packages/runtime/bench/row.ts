/** The common format of benchmark results in this project. */
import type { Comparison } from "./paired-blocks.ts";

/** One comparison. Outputs are compared before speed: if they differ, `agree` is false. */
export type BenchRow = {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly peerName: string;
  readonly unit: string;
  /**
   * ours / peer. Above 1 is better where more is better, and worse for costs. In `versus-wllama`, costs are peer / ours, so that
   * above 1 is always better.
   */
  readonly ratio: number;
  readonly agree: boolean;
  /**
   * If the ratio comes from pairs of alternating blocks: the 95 % interval of its median. The ratio
   * then differs from the quotient of `ours` and `peer`, which are medians themselves.
   */
  readonly interval?: readonly [number, number];
  /** What computed ours, where it depends on the model. */
  readonly backend?: string;
};

type RowText = Pick<BenchRow, "name" | "peerName" | "unit" | "agree">;

/** A row with its ratio; numbers are rounded to four digits. */
export function benchRow(row: Omit<BenchRow, "ratio">): BenchRow {
  const { name, ours, peer, peerName, unit, agree } = row;
  const ratio = round(ours / peer);
  return { name, ours: round(ours), peer: round(peer), peerName, unit, ratio, agree };
}

/** The row of a comparison by pairs. A few pairs have no interval. */
export function pairedRow({ name, peerName, unit, agree }: RowText, paired: Comparison): BenchRow {
  const [low, high] = paired.interval;
  return {
    name,
    ours: round(paired.first),
    peer: round(paired.second),
    peerName,
    unit,
    ratio: round(paired.ratio),
    agree,
    ...(Number.isFinite(low) && Number.isFinite(high) && { interval: [round(low), round(high)] }),
  };
}

/** The row of a speed, from the peer's times over ours. */
export function speedRow(
  { name, peerName, agree }: Omit<RowText, "unit">,
  paired: Comparison,
): BenchRow {
  const perSecond = { first: 1000 / paired.second, second: 1000 / paired.first };
  return pairedRow({ name, peerName, agree, unit: "tokens/s" }, { ...paired, ...perSecond });
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
