/** Options of a short training session. Each step is published and promoted. */
import { SHOP } from "@waggle/demo/environment";
import type { TrainingSessionOptions } from "./training-session-options.ts";

export function sessionOptions(
  stateFolder: string,
  changes: Partial<TrainingSessionOptions> = {},
): TrainingSessionOptions {
  return {
    stateFolder,
    environments: [SHOP],
    isResuming: true,
    device: "cpu",
    threads: 1,
    rank: 4,
    alpha: 8,
    seed: 1,
    tasks: { start: 1_000_000, count: 4, seed: 1 },
    promotionMargin: 1,
    watch: { success: 0.05, readable: 0.05, falseAlarm: 0.001, drift: 0.2 },
    leaseSeconds: 60,
    pollMs: 1,
    partialStepMs: 30,
    publishEvery: 1,
    microbatchTokens: 4096,
    shuffleAdvantages: false,
    shares: { visitor: 0.1, network: 0.1, siteKey: 1 },
    maxSteps: Infinity,
    maxPublications: Infinity,
    idleExitMs: 60,
    ...changes,
  };
}
