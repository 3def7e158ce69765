/** Finds Chromium, and lists the flags that give it a WebGPU adapter without a GPU. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { WaggleError } from "@waggle/protocol";
import type { BrowserType } from "playwright-core";

/** `--use-webgpu-adapter=swiftshader` selects a software adapter that is the same on every machine. */
export const CHROMIUM_FLAGS: string[] = [
  "--no-sandbox",
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const CANDIDATES: readonly (string | undefined)[] = [
  process.env["WAGGLE_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** The path of an installed Chromium or Chrome, or `undefined`. */
export function findChromium(): string | undefined {
  const found = CANDIDATES.find((path) => path !== undefined && path !== "" && existsSync(path));
  if (found !== undefined) return found;
  try {
    const path = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
    if (path !== "") return path;
  } catch {
    // It is not on the path.
  }
  // Loading it takes a second, which no other command needs.
  const { chromium } = createRequire(import.meta.url)("playwright-core") as {
    chromium: BrowserType;
  };
  const downloaded = chromium.executablePath();
  return existsSync(downloaded) ? downloaded : undefined;
}

/** @param user - what needs it. @throws WaggleError `NOT_FOUND` with the command that installs Chromium. */
export function requireChromium(user = "the loop"): string {
  const found = findChromium();
  if (found !== undefined) return found;
  throw new WaggleError(
    "NOT_FOUND",
    `${user} needs Chromium, and none is installed; run npx playwright-core install --with-deps chromium, or set WAGGLE_CHROMIUM to the path of Chromium or Chrome`,
  );
}

/** The path of Chromium, or the default path if there is none, so that launching it fails visibly. */
export function chromiumPath(): string {
  return findChromium() ?? "/usr/bin/chromium";
}
