/** The checks of a sampling call that pages and workers both make. */
import { Sampling, WaggleError } from "@waggle/protocol";
import type { GenerateOptions } from "@waggle/protocol";

/** @throws WaggleError `INVALID_ARGUMENT` saying which option must be another. */
export function assertGenerateOptions(
  { sampling, maxTokens }: Pick<GenerateOptions, "sampling" | "maxTokens">,
  contextTokens: number,
): void {
  const parsed = Sampling.safeParse(sampling);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `sampling must be valid, got ${JSON.stringify(sampling).slice(0, 200)}; ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
    );
  }
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `maxTokens must be a positive integer, got ${maxTokens}; pass the most tokens to sample`,
    );
  }
  if (contextTokens === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "a context must hold a token to sample from, got none; append the prompt first",
    );
  }
}

/** The error of a context or policy that is used after `dispose()`. */
export function disposedError(): WaggleError {
  return new WaggleError(
    "DISPOSED",
    "contexts and policies must not be used after dispose(), got a call; create a new one",
  );
}

/** The error of a call during `generate()` of the same context. */
export function overlapError(): WaggleError {
  return new WaggleError(
    "INVALID_ARGUMENT",
    "calls on one context must not overlap, got a call during generate(); await it first",
  );
}
