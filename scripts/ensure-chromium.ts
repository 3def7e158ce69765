/**
 * Ensures that Chromium is installed: uses an existing one, otherwise the system's package manager, otherwise
 * Playwright's download. If all fail, prints instructions.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findChromium } from "../packages/dev/src/loop/chromium.ts";
import { ROOT } from "./root.ts";

const attempt = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: ["ignore", 2, 2] }).status === 0;

const has = (command: string): boolean =>
  spawnSync("which", [command], { stdio: "ignore" }).status === 0;

/** @returns the path of Chromium. Exits with instructions if it cannot be installed. */
export function ensureChromium(): string {
  const present = findChromium();
  if (present !== undefined) return present;

  const root = process.getuid?.() === 0;
  const prefix = root ? [] : has("sudo") ? ["sudo", "-n"] : null;
  if (prefix !== null && has("apt-get")) {
    console.error("Chromium is missing; installing it with apt-get …");
    const apt = (...args: string[]) => {
      const [command = "", ...rest] = [...prefix, "apt-get", ...args];
      return attempt(command, rest);
    };
    if (
      apt("update", "-qq") &&
      apt("install", "-y", "-qq", "--no-install-recommends", "chromium")
    ) {
      const installed = findChromium();
      if (installed !== undefined) return installed;
    }
  }
  console.error("Chromium is missing; downloading it with Playwright …");
  const playwright = join(ROOT, "node_modules", "playwright-core", "cli.js");
  if (attempt(process.execPath, [playwright, "install", "--with-deps", "chromium"])) {
    const installed = findChromium();
    if (installed !== undefined) return installed;
  }
  console.error(
    "Chromium is required but could not be installed. Install it (Debian: apt-get install chromium;\n" +
      "macOS: brew install --cask chromium) or set WAGGLE_CHROMIUM to its path, then run this again.",
  );
  process.exit(1);
}
