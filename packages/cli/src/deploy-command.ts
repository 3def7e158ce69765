/** `deploy`: deploys the edge Worker of one or more sites, and creates the sites that the edge does not have yet. */
import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import {
  baseFolder,
  deploySites,
  learningOf,
  namedModel,
  notLearningText,
  type Site,
} from "@waggle/dev";
import { type CreateSiteRequest, DEFAULT_SITE, WaggleError } from "@waggle/protocol";
import {
  createMissingSites,
  createSiteCommand,
  CREDENTIAL_VARIABLES,
  credentialOption,
  httpUrl,
  operatorNameOption,
  type ProgramOptions,
  publishCommand,
  trainCommand,
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
      const deployed = sites.map((each, index) => ({
        id: index === 0 ? DEFAULT_SITE : each.name,
        site: each,
        model: namedModel(each),
      }));
      for (const each of deployed) writeOut(siteLine(each.id, each.site));
      const { database } = given;
      deploySites(sites, { dryRun, ...(database === undefined ? {} : { database }) });
      const [first, ...others] = sites;
      const edge = given.edge ?? first.edgeUrl;
      for (const { id, site: each, model } of deployed) {
        const learning = learningOf(each);
        if (learning === "tasks" || learning === "release") {
          for (const line of trainingLines(id, each, edge)) writeOut(line);
          continue;
        }
        if (model === null) continue;
        writeError(
          `${each.name} has no environment: the edge assigns no tasks, and ${notLearningText(learning)}`,
        );
        writeError(`to serve its model: ${publishCommand(id, model, edge)}`);
      }
      if (others.length === 0) return;
      const requests = others.map(requestOf);
      const commands = requests.map((request) => `  ${createSiteCommand(request, edge)}`);
      const credential = given.credential ?? environment[CREDENTIAL_VARIABLES.operator];
      if (dryRun || edge === undefined || credential === undefined) {
        const missing = [
          ...(edge === undefined ? ["--edge"] : []),
          ...(credential === undefined ? ["--credential"] : []),
        ].join(" and ");
        writeOut(
          dryRun
            ? `After a deployment${missing && ` with ${missing}`}, the sites that do not exist yet are created. By hand:`
            : `Without ${missing}, no site is created. Create those that do not exist yet:`,
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
function siteLine(id: string, { name, title = name, environment, toolNames }: Site): string {
  const list = (names: readonly string[] = []): string => names.join(", ") || "none";
  return (
    `site ${id}: ${title}; edge tools: ${list(toolNames?.edge)}; ` +
    `page tools: ${list(toolNames?.page)}; tasks: ${environment?.name ?? "none"}`
  );
}

/** How to train a site at its edge, with what its config says. */
function trainingLines(id: string, site: Site, edge: string | undefined): string[] {
  const { name, trainerArguments = ["--env", site.source ?? name], environment } = site;
  const model = namedModel(site) ?? (environment && baseFolder({ ...site, environment })) ?? "";
  const args = [...trainerArguments, ...(site.model === undefined ? ["--model", model] : [])];
  const hasModel = existsSync(join(model, "config.json"));
  return [
    ...(hasModel
      ? []
      : [`to make the base model of ${name}: npx waggle base ${shown(site.project)}`]),
    `to train ${name}, with its trainer's credential in WAGGLE_TRAINER_CREDENTIAL: ${trainCommand(id, args.map(shown), edge)}`,
  ];
}

/** An absolute path as one from the working folder; any other value as it is. */
function shown(value: string): string {
  if (!isAbsolute(value)) return value;
  const path = relative(process.cwd(), value);
  return path === "" || path.startsWith("..") ? path || "." : `./${path}`;
}

function requestOf({ name, title = name, settings }: Site): CreateSiteRequest {
  return { id: name, name: title, settings };
}
