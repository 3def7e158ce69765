/** The one shape in which benchmarks of this project report. */

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
};

/** A row with its ratio, numbers rounded to four digits. */
export function benchRow(row: Omit<BenchRow, "ratio">): BenchRow {
  const round = (value: number): number => Number(value.toPrecision(4));
  const { name, ours, peer, peerName, unit, agree } = row;
  const ratio = round(ours / peer);
  return { name, ours: round(ours), peer: round(peer), peerName, unit, ratio, agree };
}
