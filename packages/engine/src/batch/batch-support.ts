/** Refuses what an engine does not compute, before it computes anything. Not a check of values. */
import { WaggleError } from "@waggle/protocol";
import type { EngineCapabilities, TokenDerivatives, TrainBatch } from "@waggle/protocol";

/**
 * @throws WaggleError `CAPABILITY_MISSING` on a batch that asks for an output, or a sequence that
 *   comes with a member, that the engine does not serve.
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

/** @throws WaggleError `CAPABILITY_MISSING` on derivatives of an output that the engine does not take. */
export function requireDerivativeSupport(
  derivatives: TokenDerivatives,
  { derivatives: served, device }: EngineCapabilities,
): void {
  const given = Object.keys(derivatives) as (keyof TokenDerivatives)[];
  const lacking = given.find((name) => derivatives[name] !== undefined && !served.includes(name));
  if (lacking !== undefined) throw missing(`derivatives of ${lacking}`, device);
}

function missing(what: string, device: string): WaggleError {
  return new WaggleError(
    "CAPABILITY_MISSING",
    `a batch must ask only for what its engine serves, got ${what} on ${device}; see capabilities() and choose another engine or recipe`,
  );
}
