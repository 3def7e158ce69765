/** What an edge that was taken over serves to a page whose site has a publisher's key. */
import { fileListDigest, type PolicyManifest, WaggleError } from "@waggle/protocol";
import { createPublisherKeys, type PublisherKeys, signPolicy } from "@waggle/protocol/signing";
import { requireSigned } from "../../../packages/embed/src/publisher/signed-manifest.ts";
import type { Attack, AttackResult } from "./attack.ts";

type ManifestAttack = Attack & {
  readonly serve: (site: Site) => PolicyManifest | Promise<PolicyManifest>;
};

/** A site with a publisher, and a stranger's keys. */
type Site = {
  readonly own: PublisherKeys;
  readonly other: PublisherKeys;
  readonly manifest: (version: number) => PolicyManifest;
  readonly signed: (version: number, terms?: SignedTerms) => Promise<PolicyManifest>;
};
type SignedTerms = { readonly keys?: PublisherKeys; readonly site?: string };

const ADAPTER = { sha256: "e".repeat(64), sizeBytes: 9, rank: 1, alpha: 1 };
/** The newest version that the page has seen. */
const SEEN = 5;

const KEY = "only the publisher's key makes versions";
const BOUND = "a signature names site, version, model, adapter and text";

const withPolicy = (manifest: PolicyManifest, change: object): PolicyManifest => ({
  ...manifest,
  policy: { ...manifest.policy, ...change },
});

const ATTACKS: readonly ManifestAttack[] = [
  {
    name: "an unsigned manifest",
    does: "serves a version without a signature",
    stoppedBy: KEY,
    serve: ({ manifest }) => manifest(SEEN + 1),
  },
  {
    name: "a manifest of another key",
    does: "signs a version with a key of its own",
    stoppedBy: KEY,
    serve: ({ signed, other }) => signed(SEEN + 1, { keys: other }),
  },
  {
    name: "a manifest of another site",
    does: "serves a version that the publisher signed for another site",
    stoppedBy: BOUND,
    serve: ({ signed }) => signed(SEEN + 1, { site: "another" }),
  },
  {
    name: "a downgrade of a manifest",
    does: "serves an older version with its own signature",
    stoppedBy: "pages refuse older signatures, unless the newest names the version",
    serve: ({ signed }) => signed(SEEN - 1),
  },
  {
    name: "a signature under another number",
    does: "gives an older version the number of a newer one",
    stoppedBy: BOUND,
    serve: async ({ signed }) => withPolicy(await signed(SEEN - 1), { version: SEEN + 1 }),
  },
  {
    name: "a manifest with another adapter",
    does: "keeps the signature and serves weights of its own",
    stoppedBy: BOUND,
    serve: async ({ signed }) => withPolicy(await signed(SEEN + 1), { adapter: ADAPTER }),
  },
  {
    name: "a manifest with another text",
    does: "keeps the signature and serves guidance of its own",
    stoppedBy: BOUND,
    serve: async ({ signed }) =>
      withPolicy(await signed(SEEN + 1), { guidance: { sha256: "e".repeat(64), sizeBytes: 9 } }),
  },
  {
    name: "a manifest with other files",
    does: "keeps the hash of the base model and serves other files",
    stoppedBy: "the hash of the list of files is recomputed",
    serve: async ({ signed }) => {
      const manifest = await signed(SEEN + 1);
      const files = manifest.baseModel.files.map((file) => ({ ...file, sha256: "e".repeat(64) }));
      return { ...manifest, baseModel: { ...manifest.baseModel, files } };
    },
  },
];

/** Serves each manifest to a page that has seen a newer version. */
export async function runManifestAttacks(): Promise<AttackResult[]> {
  const site = await createSite();
  const publisher = { keys: [site.own.publicKey] };
  const seen = await requireSigned(publisher, await site.signed(SEEN), null);
  const results: AttackResult[] = [];
  for (const { serve, ...attack } of ATTACKS) {
    const served = await serve(site);
    const details = await requireSigned(publisher, served, seen).then(
      () => "accepted",
      (error: unknown) => (WaggleError.is(error) ? error.code : String(error)),
    );
    const result = details === "SIGNATURE_INVALID" ? "rejected" : "failed";
    results.push({ ...attack, result, details });
  }
  return results;
}

async function createSite(): Promise<Site> {
  const files = [{ path: "config.json", sha256: "c".repeat(64), sizeBytes: 2 }];
  const sha256 = await fileListDigest(files);
  const own = await createPublisherKeys();
  const manifest = (version: number): PolicyManifest => ({
    channel: "stable",
    policy: {
      version,
      parent: 0,
      baseModel: sha256,
      adapter: null,
      status: "stable",
      evaluation: null,
      step: version,
      publishedAt: "2026-11-20T00:00:00.000Z",
    },
    baseModel: { sha256, files },
  });
  return {
    own,
    other: await createPublisherKeys(),
    manifest,
    signed: async (version, { keys = own, site = "default" } = {}) => {
      const whole = manifest(version);
      const terms = { signedAt: version * 1000, rollBackTo: [] };
      const signature = await signPolicy(keys.privateKey, { ...whole.policy, site }, terms);
      return { ...whole, signature };
    },
  };
}
