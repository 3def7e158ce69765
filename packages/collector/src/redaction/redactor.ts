import type { Redactor } from "@waggle/protocol";
import { BUILT_IN_RULES } from "./built-in-rules.ts";
import { redactorOver, toDetectionRules } from "./redactor-over-rules.ts";
import type { RedactionRule } from "./rule.ts";

/** Additional rules. */
export type RedactorOptions = {
  /** The page's own rules, applied before the built-in ones. */
  readonly rules?: readonly RedactionRule[];
};

/**
 * A redactor without any issued placeholders.
 * @throws WaggleError `INVALID_ARGUMENT` for a rule whose type is not valid in a placeholder.
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const rules = [...toDetectionRules(options.rules ?? []), ...BUILT_IN_RULES];
  return redactorOver(() => rules);
}
