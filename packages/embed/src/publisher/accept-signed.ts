/** Accepts only signed versions. The code that verifies signatures is loaded only for sites with a publisher. */
import type { KeyValueStorage } from "@waggle/collector";
import type { PolicyManifest } from "@waggle/protocol";
import type { Publisher } from "../agent-options.ts";
import type { PolicyFailure } from "../policy-follower.ts";

/**
 * The manifest to use: the given one, or the last accepted one if that is refused.
 * @param onRefused - called with the reason, or with `null` if the manifest is accepted
 * @throws WaggleError `SIGNATURE_INVALID`, retryable, or `BROWSER_UNSUPPORTED`, if none was accepted before
 */
export type AcceptManifest = (
  manifest: PolicyManifest,
  onRefused: (failure: PolicyFailure | null) => void,
) => Promise<PolicyManifest>;

/** `undefined` without a publisher: every manifest is accepted. */
export function acceptSigned(
  publisher: Publisher | undefined,
  storage: KeyValueStorage,
): AcceptManifest | undefined {
  return (
    publisher &&
    (async (...given) => {
      const { acceptedManifest } = await import("./signed-manifest.ts");
      return acceptedManifest(publisher, storage, ...given);
    })
  );
}
