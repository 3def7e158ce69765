/** Files that differ from another commit, committed or not. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

const isCommit = (name: string): boolean => {
  try {
    git("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
    return true;
  } catch {
    return false;
  }
};

/**
 * The common ancestor of this branch with `base`, by default with `origin/main` or `main`.
 *
 * @returns `null` if there is no such commit.
 */
export function startOfChanges(base?: string): string | null {
  const known = (base === undefined ? ["origin/main", "main"] : [base]).find(isCommit);
  return known === undefined ? null : git("merge-base", known, "HEAD").trim();
}

/** Files changed or added since `commit` that still exist, including untracked ones, relative to the root. */
export function changedFiles(commit: string): string[] {
  const changed = git("diff", "--name-only", "-z", commit);
  const untracked = git("ls-files", "--others", "--exclude-standard", "-z");
  const paths = new Set(`${changed}\0${untracked}`.split("\0"));
  return [...paths].filter((path) => path !== "" && existsSync(join(ROOT, path))).toSorted();
}
