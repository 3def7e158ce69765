/**
 * Signatures of published versions: Ed25519 through WebCrypto, in pages, Workers and Node. A signature binds the site,
 * the version number, the base model, the adapter and the guidance. Whoever changes one of them needs the private key.
 */
import { canonicalJson } from "./digest.ts";
import { WaggleError } from "./errors.ts";
import type { PolicySignature, PolicyVersion } from "./policy-version.ts";

/** A pair of keys. Both are in base64url: the private one as PKCS #8, the public one as its 32 bytes. */
export type PublisherKeys = { readonly privateKey: string; readonly publicKey: string };

/** What is signed, besides `signedAt` and `rollBackTo` of the signature. */
export type SignedPolicy = Pick<
  PolicyVersion,
  "version" | "parent" | "baseModel" | "adapter" | "guidance"
> & { readonly site: string };

const ED25519 = "Ed25519";

/** Makes a pair of keys. */
export async function createPublisherKeys(): Promise<PublisherKeys> {
  const { privateKey } = (await crypto.subtle.generateKey(ED25519, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const bytes = await crypto.subtle.exportKey("pkcs8", privateKey);
  return { privateKey: toBase64Url(bytes as ArrayBuffer), publicKey: await publicPart(privateKey) };
}

/** The public key of a private one. @throws WaggleError `INVALID_ARGUMENT` */
export async function publicKeyOf(privateKey: string): Promise<string> {
  return publicPart(await importPrivate(privateKey));
}

/** Signs a version. @throws WaggleError `INVALID_ARGUMENT` for a text that is not a private key */
export async function signPolicy(
  privateKey: string,
  policy: SignedPolicy,
  terms: Pick<PolicySignature, "signedAt" | "rollBackTo">,
): Promise<PolicySignature> {
  const key = await importPrivate(privateKey);
  const value = await crypto.subtle.sign(ED25519, key, statement(policy, terms));
  return { ...terms, value: toBase64Url(value) };
}

/**
 * The key among `publicKeys` that made the signature; `null` if none did.
 * @throws WaggleError `BROWSER_UNSUPPORTED` without Ed25519
 */
export async function signerOf(
  publicKeys: readonly string[],
  policy: SignedPolicy,
  signature: PolicySignature,
): Promise<string | null> {
  const signed = statement(policy, signature);
  const value = fromBase64Url(signature.value);
  for (const publicKey of publicKeys) {
    const key = await importPublic(publicKey);
    if (key !== null && (await crypto.subtle.verify(ED25519, key, value, signed))) return publicKey;
  }
  return null;
}

/** The bytes that are signed. Members are named one by one, so that nothing else can change them. */
function statement(
  { site, version, parent, baseModel, adapter, guidance }: SignedPolicy,
  { signedAt, rollBackTo }: Pick<PolicySignature, "signedAt" | "rollBackTo">,
): Uint8Array<ArrayBuffer> {
  const text = canonicalJson({
    purpose: "waggle-policy-1",
    site,
    version,
    parent,
    baseModel,
    adapter,
    guidance: guidance ?? null,
    signedAt,
    rollBackTo,
  });
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

async function importPrivate(privateKey: string): Promise<CryptoKey> {
  try {
    const bytes = fromBase64Url(privateKey);
    return await crypto.subtle.importKey("pkcs8", bytes, ED25519, true, ["sign"]);
  } catch {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "this is not a publisher's private key; `waggle publisher-key` makes one",
    );
  }
}

/** `null` for a text that is not a public key. */
async function importPublic(publicKey: string): Promise<CryptoKey | null> {
  try {
    const bytes = fromBase64Url(publicKey);
    return await crypto.subtle.importKey("raw", bytes, ED25519, false, ["verify"]);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "NotSupportedError") return null;
    throw new WaggleError(
      "BROWSER_UNSUPPORTED",
      "this browser cannot verify Ed25519 signatures; update it",
      { cause: error },
    );
  }
}

async function publicPart(key: CryptoKey): Promise<string> {
  const { x } = (await crypto.subtle.exportKey("jwk", key)) as JsonWebKey;
  return x ?? "";
}

function toBase64Url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** @throws DOMException for other characters */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
