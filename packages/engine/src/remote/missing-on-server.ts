/** The refusal of what the Tinker API or one of its servers does not offer. */
import { WaggleError } from "@waggle/protocol";

/** @returns `CAPABILITY_MISSING`, naming what would serve. */
export function missingOnServer(fact: string, got: string): WaggleError {
  return new WaggleError(
    "CAPABILITY_MISSING",
    `${fact}, got ${got}; the engines of this machine serve it (--device cpu)`,
  );
}
