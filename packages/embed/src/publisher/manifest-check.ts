/** Whether a page may use a manifest. The code that verifies signatures is loaded only for sites with a publisher. */
import type { KeyValueStorage } from "@waggle/collector";
import type { PolicyManifest } from "@waggle/protocol";
import type { Publisher } from "../agent-options.ts";

/** Key of what the page has seen. It contains nothing about the visitor. */
const SEEN = "waggle.seenSignature";

/** A check of manifests. */
export type ManifestCheck = {
  /** @throws WaggleError `SIGNATURE_INVALID`, retryable; `BROWSER_UNSUPPORTED` */
  readonly require: (manifest: PolicyManifest) => Promise<void>;
  /** Forgets which versions were seen. */
  readonly forget: () => void;
};

/** Without a publisher, every manifest is accepted. */
export function manifestCheck(
  publisher: Publisher | undefined,
  storage: KeyValueStorage,
): ManifestCheck {
  return {
    require: async (manifest) => {
      if (publisher === undefined) return;
      const { requireSigned } = await import("./signed-manifest.ts");
      await requireSigned(publisher, manifest, {
        read: () => storage.getItem(SEEN),
        write: (text) => storage.setItem(SEEN, text),
      });
    },
    forget: () => storage.removeItem(SEEN),
  };
}
