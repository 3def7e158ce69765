/** Settings of AdamW as a server gets them, and those that it keeps whatever a call says. */
import { WaggleError } from "@waggle/protocol";
import type { OptimizerOptions } from "@waggle/protocol";

/** Without rates; a server has no value heads. */
type Settings = Required<Omit<OptimizerOptions, "learningRate" | "valueLearningRate">>;

/** What the port says where a caller says nothing. */
const DEFAULTS: Settings = {
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 0,
};

/** Every setting, said or by default. */
export function settingsOf(options: Omit<OptimizerOptions, "learningRate">): Settings {
  return { ...DEFAULTS, ...options };
}

/**
 * @param kept what the server goes by; null where it goes by the call.
 * @throws WaggleError `CAPABILITY_MISSING` naming the first setting that differs.
 */
export function requireSameOptimizer(
  options: OptimizerOptions,
  kept: Omit<OptimizerOptions, "learningRate"> | null,
): void {
  if (kept === null) return;
  const [asked, has] = [settingsOf(options), settingsOf(kept)];
  for (const name of Object.keys(DEFAULTS) as (keyof Settings)[]) {
    if (asked[name] === has[name]) continue;
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `a step must have the settings that its server keeps, ${name} ${has[name]}, got ${asked[name]}; start the server with that value, or use an engine of this machine (--device cpu)`,
    );
  }
}
