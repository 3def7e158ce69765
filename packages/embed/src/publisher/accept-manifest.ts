/** Decides whether a page runs a version. */
import type { PolicyManifest } from "@waggle/protocol";
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
