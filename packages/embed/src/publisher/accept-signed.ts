/** Accepts only signed versions. The code that verifies signatures is loaded only for sites with a publisher. */
import type { KeyValueStorage } from "@waggle/collector";
import type { Publisher } from "../agent-options.ts";
import type { AcceptManifest } from "./accept-manifest.ts";

/** `undefined` without a publisher: every manifest is accepted. */
export function acceptSigned(
  publisher: Publisher | undefined,
  storage: KeyValueStorage,
): AcceptManifest | undefined {
  if (publisher === undefined) return undefined;
  return async (manifest, onRefused) => {
    const { acceptedManifest } = await import("./signed-manifest.ts");
    return acceptedManifest(publisher, storage, manifest, onRefused);
  };
}
