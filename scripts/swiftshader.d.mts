/** Environment variables under which a Node process finds Chromium's software Vulkan driver. */
export function swiftShaderEnvironment():
  | { VK_ICD_FILENAMES: string; LD_LIBRARY_PATH: string }
  | undefined;
