/**
 * Where Chromium's software Vulkan driver lies, for Dawn in Node: a WebGPU adapter without a GPU.
 * The dynamic loader reads these variables when a process starts, so they go into the environment
 * of a child process; setting them in a running one does nothing.
 */
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { findChromium } from "./chromium.mjs";

/** @returns {Record<string, string> | undefined} variables to add, or `undefined` where there is none. */
export function swiftShaderEnvironment() {
  const chromium = findChromium();
  const folders = ["/usr/lib/chromium", "/usr/lib/chromium-browser"];
  if (chromium !== undefined) folders.unshift(dirname(realpathSync(chromium)));
  const folder = folders.find(
    (path) =>
      existsSync(join(path, "vk_swiftshader_icd.json")) && existsSync(join(path, "libvulkan.so.1")),
  );
  if (folder === undefined) return undefined;
  const others = process.env["LD_LIBRARY_PATH"];
  return {
    VK_ICD_FILENAMES: join(folder, "vk_swiftshader_icd.json"),
    LD_LIBRARY_PATH: others ? `${folder}${delimiter}${others}` : folder,
  };
}
