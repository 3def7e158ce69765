/** Refuses a batch that the engine does not support, before it computes anything. */
import { WaggleError } from "@waggle/protocol";
import type {
  EngineCapabilities,
  OptimizerOptions,
  TokenDerivatives,
  TrainBatch,
} from "@waggle/protocol";

/**
 * @throws WaggleError `CAPABILITY_MISSING` when a batch asks for an output, or a sequence has a
 *   member, that the engine does not support.
 */
export function requireBatchSupport(batch: TrainBatch, capabilities: EngineCapabilities): void {
  const { outputs, sequences, device } = capabilities;
  const asks = (member: "candidateTokenIds" | (typeof sequences)[number]): boolean =>
    batch.sequences.some((sequence) => sequence[member] !== undefined);
  if (batch.values === true && !outputs.includes("values")) {
    throw missing("values without a valueHead", device);
  }
  if (asks("candidateTokenIds") && !outputs.includes("candidateLogProbs")) {
    throw missing("candidateTokenIds", device);
  }
  for (const member of ["temperatures", "keptTokenIds", "parents", "positions"] as const) {
    if (asks(member) && !sequences.includes(member)) throw missing(member, device);
  }
}

/** @throws WaggleError `CAPABILITY_MISSING` on derivatives of an output that the engine cannot take. */
export function requireDerivativeSupport(
  derivatives: TokenDerivatives,
  { derivatives: served, device }: EngineCapabilities,
): void {
  const given = Object.keys(derivatives) as (keyof TokenDerivatives)[];
  const lacking = given.find((name) => derivatives[name] !== undefined && !served.includes(name));
  if (lacking !== undefined) throw missing(`derivatives of ${lacking}`, device);
}

/** @throws WaggleError `CAPABILITY_MISSING` on Muon where the engine lacks it. */
export function requireOptimizerSupport(
  { matrices }: OptimizerOptions,
  { muon, device }: EngineCapabilities,
): void {
  if (matrices === "muon" && muon !== true) throw missing('matrices "muon"', device);
}

function missing(what: string, device: string): WaggleError {
  return new WaggleError(
    "CAPABILITY_MISSING",
    `the engine on ${device} does not support ${what}; see capabilities() and choose another engine or recipe`,
  );
}
