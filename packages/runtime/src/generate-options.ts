/** Checks of a sampling call, made by both pages and workers. */
import { WaggleError } from "@waggle/protocol";
import type { GenerateOptions, Sampling } from "@waggle/protocol";

/** @throws WaggleError `INVALID_ARGUMENT` naming the invalid option. */
export function assertGenerateOptions(
  { sampling, maxTokens }: Pick<GenerateOptions, "sampling" | "maxTokens">,
  contextTokens: number,
): void {
  const wrong = wrongSampling(sampling);
  if (wrong !== null) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `invalid sampling ${JSON.stringify(sampling).slice(0, 200)}; ${wrong}`,
    );
  }
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `maxTokens must be a positive integer, got ${maxTokens}`,
    );
  }
  if (contextTokens === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "cannot sample from an empty context; append the prompt first",
    );
  }
}

/** The errors of the schema `Sampling`, without the schema library, because every page loads this. */
function wrongSampling(sampling: Sampling): string | null {
  const { temperature, topK, topP, seed } = sampling;
  const isWhole = (value: number, most: number): boolean =>
    Number.isInteger(value) && value >= 0 && value <= most;
  if (!(Number.isFinite(temperature) && temperature > 0 && temperature <= 10)) {
    return "temperature must be in (0, 10]";
  }
  if (!isWhole(topK, 1_000_000)) return "topK must be a whole number in [0, 1000000]";
  if (!(Number.isFinite(topP) && topP > 0 && topP <= 1)) return "topP must be in (0, 1]";
  if (!isWhole(seed, 0xffff_ffff)) return "seed must be an unsigned 32-bit integer";
  return null;
}

/** The error of using a context or policy after `dispose()`. */
export function disposedError(): WaggleError {
  return new WaggleError(
    "DISPOSED",
    "the context or policy was used after dispose(); create a new one",
  );
}

/** The error of a call during `generate()` of the same context. */
export function overlapError(): WaggleError {
  return new WaggleError(
    "INVALID_ARGUMENT",
    "the context was called during generate(); await it first",
  );
}
