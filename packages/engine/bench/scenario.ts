/** The type of a benchmark scenario of the engine. */
import type { BenchScenario } from "../../runtime/bench/bench-command.ts";

export type EngineScenario = BenchScenario<EngineBenchContext>;

export type EngineBenchContext = {
  /** Smaller sizes: shows whether the scenario runs, not figures. */
  readonly quick: boolean;
  readonly threads: number;
  /** Prints progress to stderr. */
  readonly report: (line: string) => void;
};
