/**
 * Record and progress of `npm run test:long`: docs/evidence/test-long.json says for each step when it last passed, and at
 * which commit. A stopped run continues with the steps that have not passed at the present one.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ROOT } from "../root.ts";

/** Outcome of one step. */
export type StepResult = {
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
};

/** When a step last passed. */
type PassedStep = Pick<StepResult, "seconds" | "passed"> & {
  readonly date: string;
  readonly commit: string;
  readonly uncommittedChanges: boolean;
  readonly cores: number;
};

type Passed = { [title: string]: PassedStep };

const RECORD = join(ROOT, "docs", "evidence", "test-long.json");

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

/** The steps of a run that may be continued. */
export class LongRun {
  readonly #commit = git("rev-parse", "HEAD");
  /** Tests write their own records to docs/evidence. Any other change can change a result. */
  readonly #isClean = git("status", "--porcelain", ":(exclude)docs/evidence") === "";
  readonly #passed: Passed = existsSync(RECORD)
    ? (JSON.parse(readFileSync(RECORD, "utf8")) as Passed)
    : {};

  /** Tests of a step that passed in an earlier run of this commit, or `undefined`. */
  found(title: string): number | undefined {
    const step = this.#passed[title];
    const isSame = step?.commit === this.#commit && !step.uncommittedChanges && this.#isClean;
    return isSame ? step.passed : undefined;
  }

  /** Records a step that passed. */
  keep(title: string, { seconds, passed }: StepResult): void {
    this.#passed[title] = {
      date: new Date().toISOString().slice(0, 10),
      commit: this.#commit,
      uncommittedChanges: !this.#isClean,
      cores: availableParallelism(),
      seconds,
      passed,
    };
    writeFileSync(RECORD, `${JSON.stringify(this.#passed, null, 2)}\n`);
  }
}
