/** The error for features that the Tinker API or one of its servers does not have. */
import { WaggleError } from "@waggle/protocol";

/** @returns `CAPABILITY_MISSING`, suggesting a local engine. */
export function missingOnServer(fact: string): WaggleError {
  return new WaggleError(
    "CAPABILITY_MISSING",
    `${fact}, or use an engine on this machine (--device cpu)`,
  );
}
