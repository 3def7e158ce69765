/** The credential that a command needs for an edge. Reading it from the options is the command's task. */
import { WaggleError } from "@waggle/protocol";

/** The environment variable of each role's credential. */
export const CREDENTIAL_VARIABLES = {
  operator: "WAGGLE_OPERATOR_CREDENTIAL",
  trainer: "WAGGLE_TRAINER_CREDENTIAL",
} as const;

/** The environment variable of the publisher's private key. Without it, nothing is signed. */
export const PUBLISHER_KEY_VARIABLE = "WAGGLE_PUBLISHER_KEY";

export type CredentialRole = keyof typeof CREDENTIAL_VARIABLES;

/**
 * @param action - what needs the credential, as the beginning of the message
 * @throws WaggleError `UNAUTHENTICATED` without a credential.
 */
export function requireCredential(
  role: CredentialRole,
  credential: string | undefined,
  action = "this command",
): string {
  if (credential !== undefined && credential !== "") return credential;
  throw new WaggleError(
    "UNAUTHENTICATED",
    `${action} needs the ${role}'s credential; set ${CREDENTIAL_VARIABLES[role]} or pass --credential (npm start keeps it in .waggle/local/credentials.json)`,
  );
}
