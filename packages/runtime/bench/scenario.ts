/** One thing that is measured. */
import type { BenchPage } from "./bench-page.ts";
import type { BenchScenario } from "./bench-command.ts";

export type BenchContext = {
  /** Fewer rounds and smaller sizes: for finding out whether it runs, not for figures. */
  readonly quick: boolean;
  /** Tells what is under way, on stderr. */
  readonly report: (line: string) => void;
  /** A page of its own for this scenario; closed after it. */
  readonly page: () => Promise<BenchPage>;
};

export type Scenario = BenchScenario<BenchContext>;
