/**
 * Record and progress of `npm run test:long`: docs/evidence/test-long.json says for each step when it last passed, and at
 * which commit. A stopped run continues with the steps that have not passed at the present one. Commits that change only
 * docs/evidence do not count, because they record such runs.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

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

/** Everything but what long runs record themselves. */
const CODE = [".", ":(exclude)docs/evidence"];

/** The steps of a run that may be continued. */
export class LongRun {
  readonly #root: string;
  readonly #record: string;
  readonly #commit: string;
  readonly #isClean: boolean;
  readonly #passed: Passed;

  /** @param root - folder of the repository. */
  constructor(root: string) {
    this.#root = root;
    this.#record = join(root, "docs", "evidence", "test-long.json");
    this.#commit = this.#git("rev-parse", "HEAD");
    this.#isClean = this.#git("status", "--porcelain", "--", ...CODE) === "";
    this.#passed = existsSync(this.#record)
      ? (JSON.parse(readFileSync(this.#record, "utf8")) as Passed)
      : {};
  }

  /** Tests of a step that passed in an earlier run of this code, or `undefined`. */
  found(title: string): number | undefined {
    const step = this.#passed[title];
    if (step === undefined || step.uncommittedChanges || !this.#isClean) return undefined;
    return this.#isSameCode(step.commit) ? step.passed : undefined;
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
    writeFileSync(this.#record, `${JSON.stringify(this.#passed, null, 2)}\n`);
  }

  #isSameCode(commit: string): boolean {
    if (commit === this.#commit) return true;
    try {
      this.#git("diff", "--quiet", commit, this.#commit, "--", ...CODE);
      return true;
    } catch {
      // It differs, or this clone does not have it.
      return false;
    }
  }

  #git(...args: readonly string[]): string {
    const options = { cwd: this.#root, encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync("git", args, options).trim();
  }
}
