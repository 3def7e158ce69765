/** The one shape in which benchmarks of this project report. */
import type { Comparison } from "./paired-blocks.ts";

/** One comparison. Outputs were compared before speed: where they differ, `agree` is false. */
export type BenchRow = {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly peerName: string;
  readonly unit: string;
  /** How much better ours is where more is better, ours / peer; for costs, how much worse. */
  readonly ratio: number;
  readonly agree: boolean;
  /**
   * Where the ratio was taken from pairs of blocks by turns: the 95 % interval of their median, which is
   * the ratio, and not the quotient of the medians that `ours` and `peer` then are.
   */
  readonly interval?: readonly [number, number];
};

type RowText = Pick<BenchRow, "name" | "peerName" | "unit" | "agree">;

/** A row with its ratio, numbers rounded to four digits. */
export function benchRow(row: Omit<BenchRow, "ratio">): BenchRow {
  const { name, ours, peer, peerName, unit, agree } = row;
  const ratio = round(ours / peer);
  return { name, ours: round(ours), peer: round(peer), peerName, unit, ratio, agree };
}

/** The row of a comparison by pairs. */
export function pairedRow({ name, peerName, unit, agree }: RowText, paired: Comparison): BenchRow {
  return {
    name,
    ours: round(paired.first),
    peer: round(paired.second),
    peerName,
    unit,
    ratio: round(paired.ratio),
    agree,
    interval: [round(paired.interval[0]), round(paired.interval[1])],
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
