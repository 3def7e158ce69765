/** The signature of a receipt, with the secret that also signs the tokens of sessions. */
import { canonicalJson, type ConsentReceipt } from "@waggle/protocol";

const HMAC = { name: "HMAC", hash: "SHA-256" };

/** Tokens are signed with the same secret and begin otherwise. */
function signedBytes(receipt: Omit<ConsentReceipt, "signature">): Uint8Array {
  return new TextEncoder().encode(`consent receipt ${canonicalJson(receipt)}`);
}

function keyOf(secret: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", new TextEncoder().encode(secret), HMAC, false, [usage]);
}

/** The signature, in base64url. */
export async function receiptSignature(
  receipt: Omit<ConsentReceipt, "signature">,
  secret: string,
): Promise<string> {
  const key = await keyOf(secret, "sign");
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, signedBytes(receipt)));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Whether one of these secrets signed the receipt. */
export async function isSigned(
  { signature, ...receipt }: ConsentReceipt,
  secrets: readonly string[],
): Promise<boolean> {
  const bytes = Uint8Array.from(
    atob(signature.replaceAll("-", "+").replaceAll("_", "/")),
    (character) => character.charCodeAt(0),
  );
  for (const secret of secrets) {
    const key = await keyOf(secret, "verify");
    if (await crypto.subtle.verify("HMAC", key, bytes, signedBytes(receipt))) return true;
  }
  return false;
}
