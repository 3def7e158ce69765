/**
 * Results of `npm run test:poison` in `.waggle`, so that a stopped run goes on where it was. They belong to a commit;
 * with uncommitted changes, none are kept.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../../root.ts";
import type { Measured } from "./attacked-site.ts";

const FILE = join(ROOT, ".waggle", "poison.jsonl");

type Line = { readonly commit: string; readonly run: string; readonly measured: Measured };

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

export class PoisonJournal {
  readonly #commit: string | null;
  readonly #runs = new Map<string, Measured>();

  constructor() {
    this.#commit = git("status", "--porcelain") === "" ? git("rev-parse", "HEAD") : null;
    if (this.#commit === null || !existsSync(FILE)) return;
    for (const text of readFileSync(FILE, "utf8").split("\n")) {
      // The last line may be incomplete.
      if (!text.endsWith("}}")) continue;
      const { commit, run, measured } = JSON.parse(text) as Line;
      if (commit === this.#commit) this.#runs.set(run, measured);
    }
  }

  /** The result of a run; computes and keeps it if it is not known. */
  async measured(run: string, compute: () => Promise<Measured>): Promise<Measured> {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const measured = await compute();
    this.#runs.set(run, measured);
    if (this.#commit === null) return measured;
    const line: Line = { commit: this.#commit, run, measured };
    mkdirSync(dirname(FILE), { recursive: true });
    appendFileSync(FILE, `${JSON.stringify(line)}\n`);
    return measured;
  }
}
