/**
 * Verifies the signature of a manifest, and that the version is not older than one that the page has seen. An edge
 * that was taken over cannot serve other weights or texts, and cannot bring an old version back.
 */
import { DEFAULT_SITE, fileListDigest, isObject, WaggleError } from "@waggle/protocol";
import type { PolicyManifest, PolicySignature } from "@waggle/protocol";
import { signerOf } from "@waggle/protocol/signing";
import type { Publisher } from "../agent-options.ts";

/** Where the newest signature that the page has seen is kept. */
type SeenStorage = {
  readonly read: () => string | null;
  readonly write: (text: string) => void;
};

/** The newest signature that the page has seen. */
type Seen = Pick<PolicySignature, "signedAt" | "rollBackTo"> & {
  readonly version: number;
  /** The key that made it. Once the site removes that key, what was seen no longer counts. */
  readonly key: string;
};

/**
 * Version 0 is accepted whatever was seen, because an operator must always be able to return to the base model.
 * @throws WaggleError `SIGNATURE_INVALID`, `BROWSER_UNSUPPORTED`
 */
export async function requireSigned(
  { keys, site = DEFAULT_SITE }: Publisher,
  { policy, baseModel, signature }: PolicyManifest,
  storage: SeenStorage,
): Promise<void> {
  const { version } = policy;
  if (signature === undefined) throw invalid(`version ${version} is not signed`);
  const { sha256, files } = baseModel;
  // The signature names the hash of this list.
  if (policy.baseModel !== sha256 || (await fileListDigest(files)) !== sha256) {
    throw invalid(`the files of version ${version} are not those of its base model`);
  }
  const key = await signerOf(keys, { ...policy, site }, signature);
  if (key === null) throw invalid(`version ${version} is not signed by this site's publisher`);
  if (version === 0) return;
  const seen = readSeen(storage.read(), keys);
  const { signedAt, rollBackTo } = signature;
  if (seen === null || signedAt >= seen.signedAt) {
    storage.write(JSON.stringify({ version, key, signedAt, rollBackTo } satisfies Seen));
    return;
  }
  if (seen.rollBackTo.includes(version)) return;
  throw invalid(
    `version ${version} was signed before version ${seen.version}, which this page has seen`,
  );
}

/** What was seen under a key that is still valid. */
function readSeen(text: string | null, keys: readonly string[]): Seen | null {
  try {
    const seen: unknown = JSON.parse(text ?? "null");
    const isKnown =
      isObject(seen) &&
      typeof seen["signedAt"] === "number" &&
      Array.isArray(seen["rollBackTo"]) &&
      keys.some((key) => key === seen["key"]);
    return isKnown ? (seen as Seen) : null;
  } catch {
    return null;
  }
}

/** The site may sign it meanwhile, so the page tries again. */
function invalid(message: string): WaggleError {
  return new WaggleError("SIGNATURE_INVALID", message, { retryable: true });
}
