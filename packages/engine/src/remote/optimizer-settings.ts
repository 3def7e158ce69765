/** AdamW settings for a server, and a check against those that it was started with. */
import { WaggleError } from "@waggle/protocol";
import type { OptimizerOptions } from "@waggle/protocol";

/** All settings but the rates; a server has no value heads. */
type Settings = Required<Omit<OptimizerOptions, "learningRate" | "valueLearningRate" | "matrices">>;

/** The port's defaults. */
const DEFAULTS: Settings = {
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 0,
};

/** Fills in the defaults. */
export function settingsOf(options: Omit<OptimizerOptions, "learningRate">): Settings {
  return { ...DEFAULTS, ...options };
}

/**
 * @param kept settings fixed by the server; null if it uses those of each call.
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
      `the server fixes ${name} at ${has[name]}, but the run asks for ${asked[name]}; start the server with that value, or use an engine on this machine (--device cpu)`,
    );
  }
}
