/** Options of commands that use an edge's operator API. */
import { SITE_HEADER } from "@waggle/protocol";
import type { Command } from "commander";
import type { EdgeTransportOptions } from "../edge/edge-transport.ts";
import { operatorSignature } from "../edge/operator-signature.ts";
import { CREDENTIAL_VARIABLES, requireCredential } from "./credentials.ts";
import type { ProgramOptions } from "./program-options.ts";
import { credentialOption, edgeOption, siteOption } from "./shared-options.ts";

/** Parsed values of the operator's options. */
export type OperatorOptions = { edge: string; credential?: string; as?: string; site?: string };

/** What an operator's command needs from the process. */
export type OperatorProcess = Pick<ProgramOptions, "signal" | "environment" | "fetch">;

/** Adds the edge's origin and the operator's credential. */
export function withInstallation(command: Command): Command {
  return command.addOption(edgeOption()).addOption(credentialOption("operator"));
}

/** Adds the edge's origin, the operator's credential and the site that the command is about. */
export function withOperator(command: Command): Command {
  return withInstallation(command).addOption(siteOption());
}

/** @throws WaggleError `UNAUTHENTICATED` without a credential. */
export function operatorTransport(
  given: OperatorOptions,
  { signal, environment, fetch }: OperatorProcess,
): EdgeTransportOptions {
  const credential = given.credential ?? environment[CREDENTIAL_VARIABLES.operator];
  return {
    baseUrl: given.edge,
    credential: requireCredential("operator", credential),
    signal,
    headers: {
      ...operatorSignature(environment, given.as),
      ...(given.site === undefined ? {} : { [SITE_HEADER]: given.site }),
    },
    ...(fetch === undefined ? {} : { fetch }),
  };
}
