/** A local installation: its state folder and its credentials. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Addresses and credentials of one local installation, kept in its state folder. */
export type Installation = {
  /** State folder: databases, objects, checkpoints, credentials. */
  readonly folder: string;
  readonly siteKey: string;
  readonly sessionSecret: string;
  readonly trainerCredential: string;
  readonly operatorCredential: string;
};

/** Opens the installation in `folder`. Creates its credentials the first time. */
export function openInstallation(folder: string): Installation {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "credentials.json");
  if (!existsSync(file)) {
    const secret = () => randomBytes(24).toString("base64url");
    const fresh = {
      siteKey: "local-demo",
      sessionSecret: secret(),
      trainerCredential: secret(),
      operatorCredential: secret(),
    };
    writeFileSync(file, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 });
  }
  const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
  return { folder, ...(stored as Omit<Installation, "folder">) };
}
