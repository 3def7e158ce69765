/** What templates cannot write, and the errors that say so. */
import { WaggleError } from "@waggle/protocol";

export function notAppendOnly(lost: string): WaggleError {
  return new WaggleError(
    "TEMPLATE_NOT_APPEND_ONLY",
    `the chat template does not keep ${lost} when a message is added; use a template that only appends`,
  );
}

/**
 * Phi-3's template, for example, writes no message of a tool. The model would answer without having read it.
 *
 * @param reason - in parentheses, after a space.
 */
export function noResults(reason: string): WaggleError {
  return new WaggleError(
    "CAPABILITY_MISSING",
    `the model's chat template has no place for tool results after a turn${reason}; leave out the tools, use a model that was trained with tools, or write a chat_template.jinja for this one`,
  );
}

/** A rendering with tool results. Gemma 3's template raises an error about roles for them. */
export function withResults(results: readonly unknown[], render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (results.length === 0 || !WaggleError.is(error, "MODEL_UNSUPPORTED")) throw error;
    throw noResults(` (${error.message})`);
  }
}

/** The beginning of a rendering; `null` for templates that do not write messages without a user's. */
export function headOf(render: () => string): string | null {
  try {
    return render();
  } catch {
    return null;
  }
}

/** A rendering of calls; `null` if the template refuses calls. */
export function unlessRefused(render: () => string | null): string | null {
  try {
    return render();
  } catch (error) {
    if (WaggleError.is(error, "MODEL_UNSUPPORTED")) return null;
    throw error;
  }
}
