/**
 * Verifies the signature of a manifest, and that the version is not older than one that the page has seen. An edge
 * that was taken over cannot serve other weights or texts, and cannot bring an old version back.
 */
import { readPageData } from "@waggle/collector";
import type { KeyValueStorage } from "@waggle/collector";
import { DEFAULT_SITE, fileListDigest, isObject, WaggleError } from "@waggle/protocol";
import type { PolicyManifest, PolicySignature } from "@waggle/protocol";
import { signerOf } from "@waggle/protocol/signing";
import type { Publisher } from "../agent-options.ts";
import type { AcceptManifest } from "./accept-manifest.ts";

/** Key of what is kept. It contains nothing about the visitor. `ResidentPolicy` removes it. */
const STORED = "waggle.signed";

/** The newest signature that the page has seen. */
type Seen = Pick<PolicySignature, "signedAt" | "rollBackTo"> & {
  readonly version: number;
  /** The key that made it. Once the site removes that key, what was seen no longer counts. */
  readonly key: string;
};

/** `AcceptManifest` for this publisher. */
export async function acceptedManifest(
  publisher: Publisher,
  storage: KeyValueStorage,
  manifest: PolicyManifest,
  onRefused: Parameters<AcceptManifest>[1],
): Promise<PolicyManifest> {
  const { seen, last } = readStored(storage.getItem(STORED));
  try {
    const newest = await requireSigned(publisher, manifest, seen);
    storage.setItem(STORED, JSON.stringify({ seen: newest, last: manifest }));
    onRefused(null);
    return manifest;
  } catch (error) {
    if (last === null) throw error;
    // The site may have removed the key that signed it.
    await requireSigned(publisher, last, seen);
    const { message } = error as Error;
    const code = WaggleError.is(error) ? error.code : "INTERNAL";
    onRefused({ version: manifest.policy.version, code, message: message.slice(0, 300) });
    const { silenced: _, ...used } = last;
    // Needs no signature: an operator must always be able to silence the page.
    return manifest.silenced === true ? { ...used, silenced: true } : used;
  }
}

/**
 * Version 0 is accepted whatever was seen, because an operator must always be able to return to the base model.
 * @returns the newest signature that the page has seen now
 * @throws WaggleError `SIGNATURE_INVALID`, `BROWSER_UNSUPPORTED`
 */
export async function requireSigned(
  { keys, site = DEFAULT_SITE }: Publisher,
  { policy, baseModel, signature }: PolicyManifest,
  before: Seen | null,
): Promise<Seen | null> {
  const { version } = policy;
  if (signature === undefined) throw invalid(`version ${version} is not signed`);
  const { sha256, files } = baseModel;
  // The signature names the hash of this list.
  if (policy.baseModel !== sha256 || (await fileListDigest(files)) !== sha256) {
    throw invalid(`the files of version ${version} are not those of its base model`);
  }
  const key = await signerOf(keys, { ...policy, site }, signature);
  if (key === null) throw invalid(`version ${version} is not signed by this site's publisher`);
  const seen = before !== null && keys.includes(before.key) ? before : null;
  if (version === 0) return seen;
  const { signedAt, rollBackTo } = signature;
  if (seen === null || signedAt >= seen.signedAt) return { version, key, signedAt, rollBackTo };
  if (seen.rollBackTo.includes(version)) return seen;
  throw invalid(
    `version ${version} was signed before version ${seen.version}, which this page has seen`,
  );
}

/** What is kept; nothing of a damaged record. */
function readStored(text: string | null): { seen: Seen | null; last: PolicyManifest | null } {
  try {
    const { seen, last } = JSON.parse(text ?? "{}") as { seen?: unknown; last?: unknown };
    const isSeen =
      isObject(seen) && typeof seen["signedAt"] === "number" && Array.isArray(seen["rollBackTo"]);
    return { seen: isSeen ? (seen as Seen) : null, last: readPageData("PolicyManifest", last) };
  } catch {
    return { seen: null, last: null };
  }
}

/** The site may sign it meanwhile, so the page tries again. */
function invalid(message: string): WaggleError {
  return new WaggleError("SIGNATURE_INVALID", message, { retryable: true });
}
