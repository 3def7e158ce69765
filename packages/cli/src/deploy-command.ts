/** `deploy`: deploys the edge Worker of one or more sites, and creates the sites that the edge does not have yet. */
import { ADD_ENVIRONMENT, deploySites, namedModel, type Site } from "@waggle/dev";
import { type CreateSiteRequest, WaggleError } from "@waggle/protocol";
import {
  createMissingSites,
  createSiteCommand,
  credentialOption,
  httpUrl,
  operatorNameOption,
  type ProgramOptions,
} from "@waggle/trainer";
import type { Command } from "commander";
import { sitesOf, withSites } from "./site-option.ts";

type Flags = {
  readonly site?: readonly string[];
  readonly database?: string;
  readonly dryRun?: boolean;
  readonly edge?: string;
  readonly credential?: string;
  readonly as?: string;
};

/** Adds the command. */
export function addDeployCommand(program: Command, options: ProgramOptions): void {
  const { writeOut, writeError, environment } = options;
  withSites(program.command("deploy"))
    .description(
      "deploy the edge of one or more sites to Cloudflare, with their edge tools and migrations",
    )
    .option("--database <id>", "id of its D1 database; needed unless it is a dry run")
    .option("--dry-run", "bundle the Worker and show its bindings, but upload nothing")
    .option(
      "--edge <url>",
      "origin of the deployed edge, to create sites there that it does not have yet (default: edge.url of the first site)",
      httpUrl,
    )
    .addOption(credentialOption("operator"))
    .addOption(operatorNameOption())
    .action(async (_: readonly string[], { site, dryRun = false, ...given }: Flags) => {
      const sites = await sitesOf(site);
      const models = sites.map(namedModel);
      for (const [index, each] of sites.entries()) writeOut(siteLine(each, index === 0));
      const { database } = given;
      deploySites(sites, { dryRun, ...(database === undefined ? {} : { database }) });
      for (const [index, { name, environment: tasks }] of sites.entries()) {
        if (tasks !== null) continue;
        const ofSite = index === 0 ? "" : ` --site ${name}`;
        writeError(
          `${name} has no environment: the edge assigns no tasks, and no trainer can learn from it; to change that, ${ADD_ENVIRONMENT}`,
        );
        writeError(
          `to serve its model: waggle publish --edge <url>${ofSite} --model ${String(models[index])}`,
        );
      }
      const [first, ...others] = sites;
      if (others.length === 0) return;
      const requests = others.map(requestOf);
      const edge = given.edge ?? first.edgeUrl;
      const commands = requests.map((request) => `  ${createSiteCommand(request, edge)}`);
      const credential = given.credential ?? environment["WAGGLE_OPERATOR_CREDENTIAL"];
      if (dryRun || edge === undefined || credential === undefined) {
        writeOut(
          dryRun
            ? "After a deployment with --edge and --credential, the sites that do not exist yet are created. By hand:"
            : "Without --edge and --credential, no site is created. Create those that do not exist yet:",
        );
        for (const line of commands) writeOut(line);
        return;
      }
      const { as } = given;
      try {
        const target = { edge, credential, ...(as === undefined ? {} : { as }) };
        await createMissingSites(requests, target, options, writeOut);
      } catch (error) {
        if (!WaggleError.is(error)) throw error;
        throw new WaggleError(
          error.code,
          [
            `the Worker is deployed, but a site was not created: ${error.message}. Create those that do not exist yet:`,
            ...commands,
          ].join("\n"),
          { cause: error },
        );
      }
    });
}

/** What is deployed of a site. */
function siteLine({ name, title = name, environment, toolNames }: Site, isFirst: boolean): string {
  const list = (names: readonly string[] = []): string => names.join(", ") || "none";
  const id = isFirst ? "default" : name;
  return (
    `site ${id}: ${title}; edge tools: ${list(toolNames?.edge)}; ` +
    `page tools: ${list(toolNames?.page)}; tasks: ${environment?.name ?? "none"}`
  );
}

function requestOf({ name, title = name, settings }: Site): CreateSiteRequest {
  return { id: name, name: title, settings };
}
