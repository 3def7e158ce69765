/** Options of commands that use an edge's trainer API. */
import type { Command, Option } from "commander";
import type { ProgramOptions } from "./program-options.ts";
import { createEdgeClient, type EdgeClient } from "../edge/edge-client.ts";
import type { EdgeTransportOptions } from "../edge/edge-transport.ts";
import { CREDENTIAL_VARIABLES, PUBLISHER_KEY_VARIABLE, requireCredential } from "./credentials.ts";
import { credentialOption, edgeOption, siteOption } from "./shared-options.ts";
import { DEFAULT_SITE, SITE_HEADER } from "@waggle/protocol";

/** Parsed values of the edge options. */
export type EdgeOptions = { edge: string; credential?: string; site?: string };

/** Adds the edge's origin, the trainer's credential and the site. */
export function withEdge(command: Command, site: Option = siteOption()): Command {
  return command.addOption(edgeOption()).addOption(credentialOption("trainer")).addOption(site);
}

/** @throws WaggleError `UNAUTHENTICATED` without a credential. */
export function edgeOf(given: EdgeOptions, options: ProgramOptions): EdgeClient {
  return createEdgeClient(edgeTransport(given, options));
}

/** @throws WaggleError `UNAUTHENTICATED` without a credential. */
export function edgeTransport(
  given: EdgeOptions,
  { environment, signal, fetch }: ProgramOptions,
): EdgeTransportOptions {
  const credential = given.credential ?? environment[CREDENTIAL_VARIABLES.trainer];
  const privateKey = environment[PUBLISHER_KEY_VARIABLE] ?? "";
  return {
    baseUrl: given.edge,
    credential: requireCredential("trainer", credential),
    ...(given.site === undefined ? {} : { headers: { [SITE_HEADER]: given.site } }),
    ...(privateKey === "" ? {} : { publisher: { privateKey, site: given.site ?? DEFAULT_SITE } }),
    ...(fetch === undefined ? {} : { fetch }),
    signal,
  };
}
