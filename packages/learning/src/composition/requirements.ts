/** Checks before a run that the engine supports the stages of a recipe. The state slot is checked elsewhere. */
import { type EngineCapabilities, FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import type { Stage } from "./stage.ts";

/**
 * Refuses a recipe that an engine cannot run.
 *
 * @param name name of the recipe.
 * @throws WaggleError `CAPABILITY_MISSING` naming the missing capability and an alternative.
 */
export function requireCapabilities(
  name: string,
  stages: readonly Stage[],
  capabilities: EngineCapabilities,
): void {
  const lacking = stages.flatMap((stage) => [
    ...missingDerivatives(stage, capabilities),
    ...missingOutputs(stage, capabilities),
    ...missingSampling(stage, capabilities),
    ...otherOptimizer(stage, capabilities),
  ]);
  if (lacking.length > 0) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `recipe ${name} needs what ${capabilities.device} does not provide: ${[...new Set(lacking)].join("; ")}. Use an engine on this machine (--device cpu), or choose another recipe`,
    );
  }
}

function missingDerivatives({ losses }: Stage, { derivatives }: EngineCapabilities): string[] {
  return losses
    .flatMap(({ loss }) => loss.derivatives)
    .filter((name) => !derivatives.includes(name))
    .map((name) => `derivatives of ${name}`);
}

function missingOutputs({ advantage }: Stage, { outputs }: EngineCapabilities): string[] {
  return (advantage?.reads ?? [])
    .filter((name) => !outputs.includes(name))
    .map((name) => `output ${name}`);
}

/** The engine must replay a distribution that is narrower than the model's own. */
function missingSampling({ settings }: Stage, { sequences }: EngineCapabilities): string[] {
  const { temperature, topK, topP } = settings.sampling;
  const needed = {
    temperatures: temperature !== FULL_SUPPORT.temperature,
    keptTokenIds: topK !== FULL_SUPPORT.topK || topP !== FULL_SUPPORT.topP,
  };
  return (["temperatures", "keptTokenIds"] as const).filter(
    (member) => needed[member] && !sequences.includes(member),
  );
}

/** Settings that a stage does not set have AdamW's defaults. */
function otherOptimizer(
  { optimizer }: Stage,
  { fixedOptimizer: fixed }: EngineCapabilities,
): string[] {
  if (fixed === undefined) return [];
  const defaults = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradientNorm: 0 };
  const asked = { ...defaults, ...optimizer };
  return (Object.keys(defaults) as (keyof typeof defaults)[])
    .filter((name) => asked[name] !== (fixed[name] ?? defaults[name]))
    .map(
      (name) =>
        `${name} ${asked[name]} (its server was started with ${fixed[name] ?? defaults[name]})`,
    );
}
