/** One thing that is measured. */
import type { BenchRow } from "../../runtime/bench/row.ts";

export type BenchContext = {
  /** One round each: for finding out whether it runs, not for figures. */
  readonly quick: boolean;
  /** Tells what is under way, on stderr. */
  readonly report: (line: string) => void;
};

export type Scenario = {
  readonly name: string;
  readonly description: string;
  /** Rows as they are measured. */
  readonly run: (context: BenchContext) => AsyncIterable<BenchRow>;
};
