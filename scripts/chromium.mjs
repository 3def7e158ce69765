/**
 * Finds Chromium, and lists the flags that give it a WebGPU adapter without a GPU. Plain JavaScript, because it
 * also runs under the Node 20 of a fresh machine.
 */
import { existsSync } from "node:fs";
import { execFileSync } from "node:child_process";

/** `--use-webgpu-adapter=swiftshader` selects a software adapter that is the same on every machine. */
export const CHROMIUM_FLAGS = [
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

const CANDIDATES = [
  process.env["WAGGLE_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** @returns the path of an installed Chromium or Chrome, or `undefined`. */
export function findChromium() {
  const found = CANDIDATES.find((path) => path !== undefined && path !== "" && existsSync(path));
  if (found !== undefined) return found;
  try {
    const path = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
    return path === "" ? undefined : path;
  } catch {
    return undefined;
  }
}

/** @returns the path of Chromium, or the default path if there is none, so that launching it fails visibly. */
export function chromiumPath() {
  return findChromium() ?? "/usr/bin/chromium";
}
