/** One thing that is measured of the engine. */
import type { BenchRow } from "../../runtime/bench/row.ts";

export type EngineScenario = {
  readonly name: string;
  readonly description: string;
  /** Rows as they are measured. */
  readonly run: (context: EngineBenchContext) => AsyncIterable<BenchRow>;
};

export type EngineBenchContext = {
  /** Smaller sizes: for finding out whether it runs, not for figures. */
  readonly quick: boolean;
  readonly threads: number;
  /** Tells what is under way, on stderr. */
  readonly report: (line: string) => void;
};
