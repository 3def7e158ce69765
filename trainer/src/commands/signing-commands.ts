/** Commands for the publisher's key of a site: make one, and sign the versions that an edge serves already. */
import {
  ControlState,
  DEFAULT_SITE,
  PoliciesResponse,
  type PolicySignature,
  PolicySignatures,
  type PolicyVersion,
  WaggleError,
} from "@waggle/protocol";
import { createPublisherKeys, publicKeyOf, signerOf, signPolicy } from "@waggle/protocol/signing";
import { type Command, Option } from "commander";
import { createEdgeTransport, type EdgeTransport } from "../edge/edge-transport.ts";
import { requireSite, rollBackVersions } from "../edge/signing-client.ts";
import { type EdgeOptions, edgeTransport, withEdge } from "../options/edge-options.ts";
import { PUBLISHER_KEY_VARIABLE } from "../options/credentials.ts";
import { versionNumber } from "../options/option-values.ts";
import { jsonOption } from "../options/shared-options.ts";
import type { ProgramOptions } from "../options/program-options.ts";

type SignOptions = EdgeOptions & {
  previousKey?: string;
  unsigned: boolean;
  again?: number;
  json: boolean;
};

export function addSigningCommands(program: Command, options: ProgramOptions): void {
  const { writeOut, environment } = options;
  program
    .command("publisher-key")
    .description("make a pair of keys: the private one for the trainer, the public one for pages")
    .addOption(jsonOption())
    .action(async (given: { json: boolean }) => {
      const keys = await createPublisherKeys();
      if (given.json) return writeOut(JSON.stringify(keys));
      writeOut(`private key  ${keys.privateKey}`);
      writeOut(`public key   ${keys.publicKey}`);
      writeOut(`Set ${PUBLISHER_KEY_VARIABLE} to the private key, where the trainer runs.`);
    });
  withEdge(program.command("sign-policies"))
    .description(
      "sign the versions that an edge serves, or may return to, with the publisher's key",
    )
    .addOption(
      new Option("--previous-key <key>", "also sign what the owner of this public key has signed"),
    )
    .option("--unsigned", "also sign versions without a valid signature; check them first", false)
    .addOption(
      new Option(
        "--again <version>",
        "sign this version anew, so that pages accept it after newer ones",
      ).argParser(versionNumber),
    )
    .addOption(jsonOption())
    .action(async (given: SignOptions) => {
      const privateKey = environment[PUBLISHER_KEY_VARIABLE] ?? "";
      if (privateKey === "") {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `sign-policies needs the publisher's private key; set ${PUBLISHER_KEY_VARIABLE}`,
        );
      }
      const site = given.site ?? DEFAULT_SITE;
      const transport = createEdgeTransport(edgeTransport(given, options));
      const { signed, left } = await signPolicies(transport, { ...given, site, privateKey });
      if (given.json) writeOut(JSON.stringify({ signed, left }));
      else if (signed.length === 0) writeOut("no version was signed");
      else writeOut(`signed: ${signed.map((version) => `version ${version}`).join(", ")}`);
      if (left.length === 0) return;
      throw new WaggleError(
        "SIGNATURE_INVALID",
        `${left.map((version) => `version ${version}`).join(", ")}: not signed by a known key; pass --previous-key with the key that signed them, or --unsigned if you trust what the edge has`,
      );
    });
}

/**
 * Signs the versions at the edge that were not rolled back and are not signed with this key.
 * @returns numbers of versions, oldest first. `left`: without a signature of a known key
 */
async function signPolicies(
  { answer, done }: EdgeTransport,
  given: Pick<SignOptions, "previousKey" | "unsigned" | "again"> & {
    readonly site: string;
    readonly privateKey: string;
  },
): Promise<{ signed: number[]; left: number[] }> {
  const { site, privateKey, previousKey, unsigned, again } = given;
  const own = await publicKeyOf(privateKey);
  const control = () => answer({ method: "GET", path: "/v1/trainer/control" }, ControlState);
  await requireSite({ control }, site);
  const policies = await answer({ method: "GET", path: "/v1/trainer/policies" }, PoliciesResponse);
  const path = "/v1/trainer/signatures";
  const before = await answer({ method: "GET", path }, PolicySignatures);
  const known = new Map(before.signatures.map((one) => [one.version, one.signature]));
  const keys = previousKey === undefined ? [own] : [own, previousKey];
  const signerOfVersion = async (policy: PolicyVersion): Promise<string | null> => {
    const signature = known.get(policy.version);
    return signature === undefined ? null : signerOf(keys, { ...policy, site }, signature);
  };
  const candidates =
    again === undefined
      ? policies.policies.filter(({ status }) => status !== "rolled-back")
      : policies.policies.filter(({ version }) => version === again);
  if (again !== undefined && candidates.length === 0) {
    throw new WaggleError("NOT_FOUND", `the edge does not list version ${again}`);
  }
  const signatures: { version: number; signature: PolicySignature }[] = [];
  const left: number[] = [];
  for (const policy of candidates.toSorted((a, b) => a.version - b.version)) {
    const { version } = policy;
    const signer = await signerOfVersion(policy);
    if (signer === own && again === undefined) continue;
    if (signer === null && !unsigned) left.push(version);
    else {
      const terms = {
        // Pages order versions by it.
        signedAt: Date.now() + signatures.length,
        rollBackTo: rollBackVersions(policies, version),
      };
      const signature = await signPolicy(privateKey, { ...policy, site }, terms);
      signatures.push({ version, signature });
    }
  }
  if (signatures.length > 0) await done({ method: "PUT", path, json: { signatures } });
  return { signed: signatures.map(({ version }) => version), left };
}
