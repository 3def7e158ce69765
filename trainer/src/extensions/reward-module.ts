/** Reward functions from a file or package of the user. */
import type { RewardFunction } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";
import { loadExport } from "./module-source.ts";

/** @throws WaggleError `INVALID_ARGUMENT`, `NOT_FOUND`. */
export async function rewardFrom(
  name: string,
  folder: string = process.cwd(),
): Promise<RewardFunction> {
  const found = await loadExport("--reward", name, folder);
  if (typeof found === "function") return found as RewardFunction;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `--reward ${name} is ${found === null ? "null" : typeof found} and not a function; export (rollout) => number`,
  );
}
