/**
 * Signatures of versions. The edge has no private key: it checks what a trainer sends, stores it and passes it on to
 * pages, which check it again. Its own checks tell a trainer or an operator early what pages would refuse.
 */
import {
  type PolicySignature,
  PolicySignature as Signature,
  type PolicySignatures,
  type PolicyVersion,
  WaggleError,
} from "@waggle/protocol";
import { type SignedPolicy, signerOf } from "@waggle/protocol/signing";
import { auditStatement, type Decision } from "../audit-log.ts";
import { findPolicy } from "../policy-store.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

/** How far a trainer's clock may be ahead. */
const MOST_AHEAD_MS = 300_000;

type SignatureRow = { version: number; signature: string };

const parsed = (text: string): PolicySignature => Signature.parse(JSON.parse(text));

/** The signature of a version; `null` if it is not signed. */
async function findSignature(db: SiteDatabase, version: number): Promise<PolicySignature | null> {
  const row = await db
    .prepare("SELECT signature FROM policies WHERE site = ?site AND version = ?1")
    .bind(version)
    .first<{ signature: string | null }>();
  return row === null || row.signature === null ? null : parsed(row.signature);
}

/** Signatures of versions that were not rolled back, newest version first, at most 250. */
export async function listSignatures(db: SiteDatabase): Promise<PolicySignatures> {
  const { results } = await db
    .prepare(
      `SELECT version, signature FROM policies
       WHERE site = ?site AND signature IS NOT NULL AND status <> 'rolled-back'
       ORDER BY version DESC LIMIT 250`,
    )
    .bind()
    .all<SignatureRow>();
  return {
    signatures: results.map(({ version, signature }) => ({
      version,
      signature: parsed(signature),
    })),
  };
}

/** The newest signature among trained versions: what pages have seen. Version 0 does not count, because it is always allowed. */
async function newestSignature(
  db: SiteDatabase,
): Promise<{ version: number; signature: PolicySignature } | null> {
  const row = await db
    .prepare(
      `SELECT version, signature FROM policies
       WHERE site = ?site AND signature IS NOT NULL AND version > 0
       ORDER BY CAST(signature ->> 'signedAt' AS INTEGER) DESC, version DESC LIMIT 1`,
    )
    .bind()
    .first<SignatureRow>();
  return row && { version: row.version, signature: parsed(row.signature) };
}

function invalid(message: string): WaggleError {
  return new WaggleError("SIGNATURE_INVALID", message);
}

/**
 * Checks the signature of a version that is published or signed again. A site without keys takes any.
 * @throws WaggleError `SIGNATURE_INVALID`
 */
export async function requireSignature(
  db: SiteDatabase,
  keys: readonly string[],
  policy: Omit<SignedPolicy, "site">,
  signature: PolicySignature | undefined,
  now: number,
): Promise<void> {
  if (keys.length === 0) return;
  const { version } = policy;
  if (signature === undefined) {
    throw invalid(
      `version ${version} is not signed, and this site has publisher keys; set WAGGLE_PUBLISHER_KEY for the trainer`,
    );
  }
  if ((await signerOf(keys, { ...policy, site: db.site }, signature)) === null) {
    throw invalid(
      `the signature of version ${version} is not of a key in this site's publisherKeys; add the trainer's public key there`,
    );
  }
  if (signature.signedAt > now + MOST_AHEAD_MS) {
    throw invalid(
      `version ${version} was signed in the future; set the clock of the trainer's machine`,
    );
  }
  const newest = version === 0 ? null : await newestSignature(db);
  if (newest !== null && newest.signature.signedAt >= signature.signedAt) {
    throw invalid(
      `version ${version} was signed before version ${newest.version}, so pages would refuse it; set the clock of the trainer's machine`,
    );
  }
}

/**
 * Requires that pages accept the version after every one that they may have seen. The base model is always accepted.
 * @throws WaggleError `SIGNATURE_INVALID`
 */
export async function requireAccepted(
  db: SiteDatabase,
  keys: readonly string[],
  version: number,
): Promise<void> {
  if (keys.length === 0 || version === 0) return;
  const [own, newest] = await Promise.all([findSignature(db, version), newestSignature(db)]);
  const remedy = `run waggle sign-policies --again ${version} with the publisher's key first`;
  if (own === null)
    throw invalid(`pages refuse version ${version}, which is not signed; ${remedy}`);
  if (newest === null || newest.version === version) return;
  if (newest.signature.rollBackTo.includes(version)) return;
  throw invalid(
    `pages that ran version ${newest.version} refuse version ${version}, whose signature is older; ${remedy}`,
  );
}

/** The statement that stores a signature. */
function signatureStatement(
  db: SiteDatabase,
  version: number,
  signature: PolicySignature,
): D1PreparedStatement {
  return db
    .prepare("UPDATE policies SET signature = ?2 WHERE site = ?site AND version = ?1")
    .bind(version, JSON.stringify(signature));
}

const signedPart = ({ version, parent, baseModel, adapter, guidance }: PolicyVersion) => ({
  version,
  parent,
  baseModel,
  adapter,
  ...(guidance === undefined ? {} : { guidance }),
});

/**
 * Stores signatures of published versions, oldest signature first.
 * @throws WaggleError `SIGNATURE_INVALID`, `NOT_FOUND`; those before it are stored
 */
export async function storeSignatures(
  db: SiteDatabase,
  keys: readonly string[],
  { signatures }: PolicySignatures,
  decision: Decision,
): Promise<void> {
  const inOrder = signatures.toSorted((a, b) => a.signature.signedAt - b.signature.signedAt);
  for (const { version, signature } of inOrder) {
    const policy = await findPolicy(db, version);
    await requireSignature(db, keys, signedPart(policy), signature, decision.now);
    await db.batch([
      signatureStatement(db, version, signature),
      auditStatement(db, "sign", decision, version),
    ]);
  }
}
