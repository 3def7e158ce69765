import { createMemoryStorage } from "@waggle/collector";
import type { PolicyManifest } from "@waggle/protocol";
import { createPublisherKeys, type PublisherKeys, signPolicy } from "@waggle/protocol/signing";
import { expect, onTestFinished, test, vi } from "vitest";
import { createMemoryEdge, manifestOf, openPage, until } from "../agent.fixture.ts";
import { acceptSigned } from "./accept-signed.ts";
import { requireSigned } from "./signed-manifest.ts";

const own = await createPublisherKeys();
const other = await createPublisherKeys();

type Terms = { signedAt?: number; rollBackTo?: number[]; keys?: PublisherKeys; site?: string };

/** A manifest that is signed a second after that of the version before it. */
async function signed(version: number, terms: Terms = {}): Promise<PolicyManifest> {
  const { signedAt = version * 1000, rollBackTo = [], keys = own, site = "default" } = terms;
  const manifest = manifestOf(version);
  const policy = { ...manifest.policy, site };
  return {
    ...manifest,
    signature: await signPolicy(keys.privateKey, policy, { signedAt, rollBackTo }),
  };
}

/** What a page requires, with what it has seen. */
function createCheck() {
  let seen: Awaited<ReturnType<typeof requireSigned>> = null;
  const requireWith = async (keys: readonly string[], manifest: PolicyManifest): Promise<void> => {
    seen = await requireSigned({ keys }, manifest, seen);
  };
  const require = (manifest: PolicyManifest) => requireWith([own.publicKey], manifest);
  return { require, requireWith, seen: () => seen };
}

const refused = { code: "SIGNATURE_INVALID", retryable: true };

test("a signed version is accepted, again and after another check", async () => {
  const { require } = createCheck();
  for (const version of [0, 1, 1, 2]) {
    await expect(require(await signed(version))).resolves.toBeUndefined();
  }
});

test("a page without a publisher accepts what the edge serves", () => {
  expect(acceptSigned(undefined, createMemoryStorage())).toBeUndefined();
});

test.each<[string, (manifest: PolicyManifest) => PolicyManifest | Promise<PolicyManifest>]>([
  ["without a signature", () => manifestOf(1)],
  ["of another key", () => signed(1, { keys: other })],
  ["for another site", () => signed(1, { site: "desk" })],
  [
    "with another number",
    ({ policy, ...rest }) => ({ ...rest, policy: { ...policy, version: 2 } }),
  ],
  [
    "with an adapter of the edge's own",
    ({ policy, ...rest }) => ({
      ...rest,
      policy: { ...policy, adapter: { sha256: "e".repeat(64), sizeBytes: 9, rank: 1, alpha: 1 } },
    }),
  ],
  [
    "with a text of the edge's own",
    ({ policy, ...rest }) => ({
      ...rest,
      policy: { ...policy, guidance: { sha256: "e".repeat(64), sizeBytes: 9 } },
    }),
  ],
  [
    "with files of another model",
    ({ baseModel, ...rest }) => ({
      ...rest,
      baseModel: { ...baseModel, files: [{ ...baseModel.files[0]!, sha256: "e".repeat(64) }] },
    }),
  ],
])("a version %s is refused", async (_, edit) => {
  const { require, seen } = createCheck();
  await expect(require(await edit(await signed(1)))).rejects.toMatchObject(refused);
  // What was refused was not seen: an older version is still accepted.
  expect(seen()).toBeNull();
});

test("an older version than the page has seen is refused, unless the newest one names it", async () => {
  const { require } = createCheck();
  await require(await signed(5, { rollBackTo: [3] }));
  await expect(require(await signed(4))).rejects.toThrow(
    "version 4 was signed before version 5, which this page has seen",
  );
  await require(await signed(3));
  // A version to which the page returned does not open the way to still older ones.
  await expect(require(await signed(2, { rollBackTo: [1] }))).rejects.toMatchObject(refused);
  await require(await signed(0));
  await expect(require(await signed(4))).rejects.toMatchObject(refused);
});

test("an older version that is signed anew is accepted", async () => {
  const { require } = createCheck();
  await require(await signed(5));
  await expect(require(await signed(2))).rejects.toMatchObject(refused);
  await require(await signed(2, { signedAt: 6000, rollBackTo: [5] }));
  await require(await signed(5));
});

test("both keys are accepted while one is replaced, and what a removed key signed no longer counts", async () => {
  const { requireWith } = createCheck();
  const checkOf =
    (...keys: string[]) =>
    (manifest: PolicyManifest) =>
      requireWith(keys, manifest);
  await checkOf(own.publicKey)(await signed(1));
  const both = checkOf(own.publicKey, other.publicKey);
  await both(await signed(1));
  await both(await signed(2, { keys: other }));
  // The thief of the first key signs a version of the far future.
  await both(await signed(3, { signedAt: 9e15 }));
  await expect(both(await signed(4, { keys: other }))).rejects.toMatchObject(refused);
  const last = checkOf(other.publicKey);
  await expect(last(await signed(3, { signedAt: 9e15 }))).rejects.toMatchObject(refused);
  await last(await signed(4, { keys: other }));
});

test("what is stored is used at the next visit, and a damaged record is not", async () => {
  const storage = createMemoryStorage();
  const failures: (string | undefined)[] = [];
  const visit = async (manifest: PolicyManifest) => {
    const accept = acceptSigned({ keys: [own.publicKey] }, storage);
    const used = await accept?.(manifest, (failure) => failures.push(failure?.code));
    return used?.policy.version;
  };
  expect(await visit(await signed(5))).toBe(5);
  expect(await visit(await signed(4))).toBe(5);
  expect(failures).toEqual([undefined, "SIGNATURE_INVALID"]);
  storage.setItem("waggle.signed", "{");
  expect(await visit(await signed(4))).toBe(4);
});

test("a browser without Ed25519 says so", async () => {
  const { require } = createCheck();
  const manifest = await signed(1);
  const lacking = new DOMException("no", "NotSupportedError");
  const spy = vi.spyOn(crypto.subtle, "importKey").mockRejectedValue(lacking);
  onTestFinished(() => spy.mockRestore());
  await expect(require(manifest)).rejects.toMatchObject({ code: "BROWSER_UNSUPPORTED" });
});

/** A page with a publisher, and an edge that serves what the test says. */
function openSigned(first: PolicyManifest | null, storage = createMemoryStorage()) {
  const served = { manifest: first, queries: [] as string[] };
  const memory = createMemoryEdge();
  const edge: typeof memory = Object.assign(createMemoryEdge(), {
    fetch: async (url: string, init?: RequestInit) => {
      const { pathname, search } = new URL(url);
      if (pathname !== "/v1/policy" || served.manifest === null) return memory.fetch(url, init);
      served.queries.push(search);
      return Response.json(served.manifest);
    },
  });
  const page = openPage({ edge, storage, publisher: { keys: [own.publicKey] } });
  return { ...page, served, storage };
}

test("an open page keeps its version while the edge serves one that is not signed", async () => {
  const { agent, served } = openSigned(await signed(1));
  await agent.ready;
  expect(served.queries).toEqual(["?signed=1"]);
  served.manifest = manifestOf(2);
  await agent.checkPolicy();
  expect(agent.policyVersion).toBe(1);
  expect(agent.status.policyFailure).toMatchObject({ version: 2, code: "SIGNATURE_INVALID" });
  served.manifest = await signed(3, { rollBackTo: [1] });
  await agent.checkPolicy();
  expect(agent.policyVersion).toBe(3);
  expect(agent.status.policyFailure).toBeNull();
  // The operator rolls back.
  served.manifest = await signed(1);
  await agent.checkPolicy();
  expect(agent.policyVersion).toBe(1);
  await agent.dispose();
});

test("a page that has run a version falls back to it at the next visit, and a first visit fails", async () => {
  const before = openSigned(await signed(2));
  await before.agent.ready;
  await before.agent.dispose();
  const again = openSigned(manifestOf(9), before.storage);
  await again.agent.ready;
  expect(again.agent.policyVersion).toBe(2);
  expect(again.agent.status.policyFailure).toMatchObject({ version: 9 });
  await again.agent.dispose();
  const first = openSigned(manifestOf(9));
  await expect(first.agent.ready).rejects.toMatchObject({ code: "SIGNATURE_INVALID" });
  expect(first.agent.status.error).toMatchObject({ code: "SIGNATURE_INVALID", retryable: true });
  // Once the version is signed, the next check opens it.
  first.served.manifest = await signed(9);
  await first.agent.checkPolicy();
  await until(first.agent, () => first.agent.status.phase === "ready");
  expect(first.agent.policyVersion).toBe(9);
  await first.agent.dispose();
});

test("an operator can silence a page although nothing is signed", async () => {
  const { agent, served, storage } = openSigned(await signed(1));
  await agent.ready;
  served.manifest = { ...manifestOf(0), silenced: true };
  await agent.checkPolicy();
  expect(agent.status.silenced).toBe(true);
  await agent.dispose();
  const again = openSigned(served.manifest, storage);
  await again.agent.ready;
  expect(again.agent.status.silenced).toBe(true);
  await again.agent.dispose();
});
