/** Finds the checkout of Waggle's repository that contains a folder. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** URL of the repository. */
export const REPOSITORY = "https://github.com/waggle-agents/waggle";

/** Root of the checkout that contains `folder`; `null` outside of a checkout. */
export function checkoutAt(folder: string): string | null {
  const manifest = join(folder, "package.json");
  if (existsSync(manifest) && isWaggle(readFileSync(manifest, "utf8"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : checkoutAt(parent);
}

function isWaggle(text: string): boolean {
  const { name, workspaces } = JSON.parse(text) as { name?: unknown; workspaces?: unknown };
  return name === "waggle" && Array.isArray(workspaces);
}
