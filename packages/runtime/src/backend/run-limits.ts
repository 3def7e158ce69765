/** Checks a run against the limits of its session. */
import { WaggleError } from "@waggle/protocol";
import { wantedTokens } from "./cpu/row-result.ts";
import type { DecoderRow } from "./decoder-backend.ts";

export type RunLimits = {
  readonly maxRows: number;
  readonly maxRunTokens: number;
  readonly maxRunScores: number;
  readonly maxPositions: number;
};

/** @throws WaggleError `INVALID_ARGUMENT`, or `CONTEXT_OVERFLOW` if a row would be too long. */
export function assertRows(rows: readonly DecoderRow[], limits: RunLimits): void {
  const { maxRows, maxRunTokens, maxRunScores, maxPositions } = limits;
  if (rows.length < 1 || rows.length > maxRows) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a run must have 1 to ${maxRows} rows, got ${rows.length}; split it`,
    );
  }
  for (const row of rows) {
    const { tokenIds, cache } = row;
    if (tokenIds.length < 1 || tokenIds.length > maxRunTokens) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a row must read 1 to ${maxRunTokens} tokens, got ${tokenIds.length}; split it`,
      );
    }
    const scored = row.output.kind === "score" ? wantedTokens(row).length : 0;
    if (scored > maxRunScores) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a row must have at most ${maxRunScores} scored tokens, got ${scored}; read it in parts`,
      );
    }
    if (cache.length + tokenIds.length > maxPositions) {
      throw new WaggleError(
        "CONTEXT_OVERFLOW",
        `a row must hold at most ${maxPositions} tokens, got ${cache.length + tokenIds.length}; open a longer context`,
      );
    }
  }
}
