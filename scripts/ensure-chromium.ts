/**
 * Ensures that Chromium is installed: uses an existing one, otherwise the system's package manager, otherwise
 * Playwright's download. If all fail, prints instructions.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findChromium } from "../packages/dev/src/loop/chromium.ts";
import { aptInstall } from "./apt-install.ts";
import { ROOT } from "./root.ts";

/** @returns the path of Chromium. Exits with instructions if it cannot be installed. */
export function ensureChromium(): string {
  const present = findChromium();
  if (present !== undefined) return present;

  console.error("Chromium is missing; installing it with apt-get …");
  if (aptInstall("chromium")) {
    const installed = findChromium();
    if (installed !== undefined) return installed;
  }
  console.error("Chromium is missing; downloading it with Playwright …");
  const playwright = join(ROOT, "node_modules", "playwright-core", "cli.js");
  const download = [playwright, "install", "--with-deps", "chromium"];
  if (spawnSync(process.execPath, download, { stdio: ["ignore", 2, 2] }).status === 0) {
    const installed = findChromium();
    if (installed !== undefined) return installed;
  }
  console.error(
    "Chromium is required but could not be installed. Install it (Debian: apt-get install chromium;\n" +
      "macOS: brew install --cask chromium) or set WAGGLE_CHROMIUM to its path, then run this again.",
  );
  process.exit(1);
}
