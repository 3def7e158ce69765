/** `deploy`: deploys the edge Worker of a site. */
import { deploySite } from "@waggle/dev";
import type { Command } from "commander";
import { siteOf, withSite } from "./site-option.ts";

type Flags = {
  readonly site?: string;
  readonly database?: string;
  readonly dryRun?: boolean;
};

/** Adds the command. */
export function addDeployCommand(program: Command): void {
  withSite(program.command("deploy"))
    .description("deploy the edge of a site to Cloudflare, with its edge tools and migrations")
    .option("--database <id>", "id of its D1 database; needed unless it is a dry run")
    .option("--dry-run", "bundle the Worker and show its bindings, but upload nothing")
    .action(async (_: string | undefined, { site, database, dryRun = false }: Flags) => {
      deploySite(await siteOf(site), { dryRun, ...(database === undefined ? {} : { database }) });
    });
}
