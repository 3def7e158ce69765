/** Environment variables that make Chromium's software Vulkan driver available to a Node process. */
export function swiftShaderEnvironment():
  | { VK_ICD_FILENAMES: string; LD_LIBRARY_PATH: string }
  | undefined;
