/** One thing that is measured of the engine. */
import type { BenchScenario } from "../../runtime/bench/bench-command.ts";

export type EngineScenario = BenchScenario<EngineBenchContext>;

export type EngineBenchContext = {
  /** Smaller sizes: for finding out whether it runs, not for figures. */
  readonly quick: boolean;
  readonly threads: number;
  /** Tells what is under way, on stderr. */
  readonly report: (line: string) => void;
};
