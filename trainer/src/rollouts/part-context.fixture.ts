/** The first step of a stage without state, for parts whose strategy depends on nothing else. */
import type { PartContext } from "@waggle/learning";

export const FIRST_STEP: PartContext = {
  step: 0,
  steps: 1,
  random: () => 0.5,
  state: {},
  ports: {},
  signal: new AbortController().signal,
};
