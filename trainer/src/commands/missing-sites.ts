/** Creates the sites that an edge does not have yet, and writes the commands that an operator runs by hand. */
import { type CreateSiteRequest, DEFAULT_SITE } from "@waggle/protocol";
import { createSiteClient } from "../edge/site-client.ts";
import {
  type OperatorOptions,
  operatorTransport,
  type OperatorProcess,
} from "../options/operator-options.ts";
import { siteSettingTexts } from "../options/site-settings.ts";
import { createdLines } from "./site-lines.ts";

/**
 * Prints each new site with its credentials as soon as it exists. A site that exists keeps its settings.
 *
 * @throws WaggleError as `SiteClient.create`
 */
export async function createMissingSites(
  sites: readonly CreateSiteRequest[],
  edge: OperatorOptions,
  options: OperatorProcess,
  writeOut: (line: string) => void,
): Promise<void> {
  const client = createSiteClient(operatorTransport(edge, options));
  const known = new Set((await client.list()).map(({ id }) => id));
  for (const site of sites) {
    const lines = known.has(site.id)
      ? [`${site.id} exists and keeps its settings; waggle sites set ${site.id} changes them`]
      : createdLines(await client.create(site));
    for (const line of lines) writeOut(line);
  }
}

/** The command that creates a site. @param edge - origin of the edge; absent: a variable of the shell */
export function createSiteCommand(
  { id, name, settings = {} }: CreateSiteRequest,
  edge?: string,
): string {
  const named = name === undefined ? [] : ["--name", shellArgument(name)];
  const values = siteSettingTexts(settings).map(shellArgument);
  return commandOf("sites add", id, edgeArgument(edge), ...named, ...values);
}

/**
 * The command that publishes a model to a site.
 *
 * @param site - its id at the edge
 * @param edge - as in `createSiteCommand`
 */
export function publishCommand(site: string, model: string, edge?: string): string {
  const named = site === DEFAULT_SITE ? [] : ["--site", site];
  return commandOf("publish", edgeArgument(edge), ...named, "--model", shellArgument(model));
}

/**
 * The command that trains a site at its edge.
 *
 * @param site - its id at the edge
 * @param args - further options of `train-edge`, each option and value for itself
 * @param edge - as in `createSiteCommand`
 */
export function trainCommand(site: string, args: readonly string[], edge?: string): string {
  const named = site === DEFAULT_SITE ? [] : ["--site", site];
  return commandOf("train-edge", edgeArgument(edge), ...named, ...args.map(shellArgument));
}

function commandOf(...parts: readonly string[]): string {
  return ["npx waggle", ...parts].join(" ");
}

function edgeArgument(edge: string | undefined): string {
  return `--edge ${edge === undefined ? '"$EDGE"' : shellArgument(edge)}`;
}

/** A text as one argument in a POSIX shell. */
function shellArgument(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
