/** The type of a benchmark scenario of the runtime. */
import type { BenchPage } from "./bench-page.ts";
import type { BenchScenario } from "./bench-command.ts";

export type BenchContext = {
  /** Fewer rounds and smaller sizes: shows whether the scenario runs, not figures. */
  readonly quick: boolean;
  /** Whether a row of this name was asked for. Scenarios whose rows take minutes each leave out the others. */
  readonly wants: (name: string) => boolean;
  /** Prints progress to stderr. */
  readonly report: (line: string) => void;
  /** Opens a page for this scenario, which is closed after it. */
  readonly page: () => Promise<BenchPage>;
};

export type Scenario = BenchScenario<BenchContext>;
