/** A local installation: its state folder and its credentials. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PublisherKeys } from "@waggle/protocol/signing";

/** Addresses and credentials of one local installation, kept in its state folder. */
export type Installation = {
  /** State folder: databases, objects, checkpoints, credentials. */
  readonly folder: string;
  readonly siteKey: string;
  readonly sessionSecret: string;
  readonly trainerCredential: string;
  readonly operatorCredential: string;
  /** Signs the versions. Absent: they are not signed, as in an installation of an earlier release. */
  readonly publisher?: PublisherKeys;
};

/**
 * Opens the installation in `folder`. Creates its credentials the first time.
 *
 * @param isSigned - whether a new installation signs its versions, and its pages require it.
 */
export function openInstallation(folder: string, isSigned = false): Installation {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "credentials.json");
  if (!existsSync(file)) {
    const secret = () => randomBytes(24).toString("base64url");
    const fresh = {
      siteKey: "local-demo",
      sessionSecret: secret(),
      trainerCredential: secret(),
      operatorCredential: secret(),
      ...(isSigned ? { publisher: newPublisher() } : {}),
    };
    writeFileSync(file, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 });
  }
  const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
  return { folder, ...(stored as Omit<Installation, "folder">) };
}

/** As `createPublisherKeys` makes them, at once. */
function newPublisher(): PublisherKeys {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privateKey: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64url"),
    publicKey: publicKey.export({ format: "jwk" }).x ?? "",
  };
}
