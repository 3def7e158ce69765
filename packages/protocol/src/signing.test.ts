import { expect, test } from "vitest";
import { PolicySignature } from "./policy-version.ts";
import {
  createPublisherKeys,
  publicKeyOf,
  type SignedPolicy,
  signerOf,
  signPolicy,
} from "./signing.ts";

const POLICY: SignedPolicy = {
  site: "shop",
  version: 7,
  parent: 6,
  baseModel: "a".repeat(64),
  adapter: { sha256: "b".repeat(64), sizeBytes: 10, rank: 4, alpha: 8 },
};
const TERMS = { signedAt: 1000, rollBackTo: [5, 6] };
const GUIDANCE = { sha256: "c".repeat(64), sizeBytes: 5 };

test("a signature is verified with the key that made it, and names it among several", async () => {
  const [own, other] = [await createPublisherKeys(), await createPublisherKeys()];
  const signature = PolicySignature.parse(await signPolicy(own.privateKey, POLICY, TERMS));
  expect(await signerOf([own.publicKey], POLICY, signature)).toBe(own.publicKey);
  expect(await signerOf([other.publicKey, own.publicKey], POLICY, signature)).toBe(own.publicKey);
  expect(await signerOf([other.publicKey], POLICY, signature)).toBeNull();
  expect(await signerOf([], POLICY, signature)).toBeNull();
});

test.each<[string, Partial<SignedPolicy>]>([
  ["site", { site: "desk" }],
  ["version", { version: 8 }],
  ["parent", { parent: 5 }],
  ["base model", { baseModel: "d".repeat(64) }],
  ["adapter", { adapter: { sha256: "d".repeat(64), sizeBytes: 10, rank: 4, alpha: 8 } }],
  ["scale of the adapter", { adapter: { ...POLICY.adapter!, alpha: 9 } }],
  ["absence of an adapter", { adapter: null }],
  ["guidance", { guidance: GUIDANCE }],
])("a signature does not hold for another %s", async (_, edit) => {
  const { privateKey, publicKey } = await createPublisherKeys();
  const signature = await signPolicy(privateKey, POLICY, TERMS);
  expect(await signerOf([publicKey], { ...POLICY, ...edit }, signature)).toBeNull();
});

test.each<[string, Partial<PolicySignature>]>([
  ["time", { signedAt: 1001 }],
  ["list of versions", { rollBackTo: [5, 6, 1] }],
  ["value", { value: "A".repeat(86) }],
])("a signature does not hold with another %s", async (_, edit) => {
  const { privateKey, publicKey } = await createPublisherKeys();
  const signature = await signPolicy(privateKey, POLICY, TERMS);
  expect(await signerOf([publicKey], POLICY, { ...signature, ...edit })).toBeNull();
});

test("the public key follows from the private one, and other texts are refused", async () => {
  const { privateKey, publicKey } = await createPublisherKeys();
  expect(await publicKeyOf(privateKey)).toBe(publicKey);
  expect(publicKey).toMatch(/^[\w-]{43}$/);
  for (const wrong of ["", "not a key!", publicKey]) {
    await expect(publicKeyOf(wrong)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  }
  const signature = await signPolicy(privateKey, POLICY, TERMS);
  expect(await signerOf(["not a key!", "AAAA", publicKey], POLICY, signature)).toBe(publicKey);
});
