/**
 * Progress and record of `npm run test:long`. Passed steps are stored in `.waggle`, so that a stopped run continues with
 * the next step. A complete run is recorded in docs/evidence/test-long.json.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ROOT } from "../root.ts";

/** Outcome of one step. */
export type StepResult = {
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
};

type Progress = { readonly commit: string; readonly steps: { [title: string]: StepResult } };

const PROGRESS = join(ROOT, ".waggle", "test-long.json");
const RECORD = join(ROOT, "docs", "evidence", "test-long.json");

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

/** The steps of a run that may be continued. */
export class LongRun {
  readonly #commit: string;
  /** Results belong to a commit, so none are kept for a changed tree. Tests write their own records to docs/evidence. */
  readonly #isClean: boolean;
  readonly #steps: { [title: string]: StepResult };

  constructor() {
    this.#commit = git("rev-parse", "HEAD");
    this.#isClean = git("status", "--porcelain", ":(exclude)docs/evidence") === "";
    this.#steps = this.#isClean ? stepsOf(this.#commit) : {};
  }

  /** The result of a step that passed in an earlier run of this commit. */
  found(title: string): StepResult | undefined {
    return this.#steps[title];
  }

  keep(title: string, result: StepResult): void {
    this.#steps[title] = result;
    if (!this.#isClean) return;
    const progress: Progress = { commit: this.#commit, steps: this.#steps };
    mkdirSync(join(PROGRESS, ".."), { recursive: true });
    writeFileSync(PROGRESS, JSON.stringify(progress));
  }

  /** Records a run in which every step passed. The next run starts over. */
  record(): void {
    const results = Object.entries(this.#steps);
    const sum = (of: (result: StepResult) => number): number =>
      results.reduce((total, [, result]) => total + of(result), 0);
    const record = {
      date: new Date().toISOString().slice(0, 10),
      commit: this.#commit,
      uncommittedChanges: !this.#isClean,
      cores: availableParallelism(),
      minutes: Number((sum(({ seconds }) => seconds) / 60).toFixed(1)),
      passed: sum(({ passed }) => passed),
      failed: sum(({ failed }) => failed),
      steps: Object.fromEntries(results.map(([title, { seconds }]) => [title, seconds])),
    };
    writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
    rmSync(PROGRESS, { force: true });
  }
}

function stepsOf(commit: string): { [title: string]: StepResult } {
  if (!existsSync(PROGRESS)) return {};
  const kept = JSON.parse(readFileSync(PROGRESS, "utf8")) as Progress;
  return kept.commit === commit ? kept.steps : {};
}
