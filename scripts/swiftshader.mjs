/**
 * Finds Chromium's software Vulkan driver, which gives Dawn in Node a WebGPU adapter without a GPU. The dynamic loader
 * reads these variables when a process starts, so set them in the environment of a child process; changing them in a
 * running process has no effect.
 */
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { findChromium } from "../packages/dev/src/loop/chromium.ts";

/** @returns {Record<string, string> | undefined} variables to add, or `undefined` if there is no driver. */
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
