/** `deploy`: deploys the edge Worker of a site. */
import { deploySite } from "@waggle/dev";
import type { Command } from "commander";
import { siteOf, siteOption } from "./site-option.ts";

type Flags = {
  readonly site?: string;
  readonly database?: string;
  readonly dryRun?: boolean;
};

/** Adds the command. */
export function addDeployCommand(program: Command): void {
  program
    .command("deploy")
    .description("deploy the edge of a site to Cloudflare, with its edge tools and migrations")
    .addOption(siteOption())
    .option("--database <id>", "id of its D1 database; needed unless it is a dry run")
    .option("--dry-run", "bundle the Worker and show its bindings, but upload nothing")
    .action(async ({ site, database, dryRun = false }: Flags) => {
      deploySite(await siteOf(site), { dryRun, ...(database === undefined ? {} : { database }) });
    });
}
