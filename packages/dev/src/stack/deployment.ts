/** Deploys the Worker of one or more sites to Cloudflare with Wrangler. */
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { WaggleError } from "@waggle/protocol";
import { NODE, QUIET } from "../processes/programs.ts";
import { wranglerProgram } from "./edge-process.ts";
import { deployedName, type WorkerSites, writeDeployment } from "./worker-project.ts";

/** Options of `deploySites`. */
export type DeployOptions = {
  /** Bundle the Worker and show its bindings, but upload nothing. */
  readonly dryRun: boolean;
  /** The id of its D1 database; only a dry run needs none. */
  readonly database?: string;
};

/**
 * Applies pending migrations and deploys the Worker from the first site's project. Worker, database and bucket are named
 * after the first site. Wrangler's output goes to this process's streams.
 *
 * @throws WaggleError `INVALID_ARGUMENT` without a database, saying how to create one; Error if Wrangler fails.
 */
export function deploySites(sites: WorkerSites, { dryRun, database }: DeployOptions): void {
  const name = deployedName(sites);
  const { project } = sites[0];
  if (!dryRun && database === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      [
        "error: --database is missing; create the resources once, and pass the id that the first command prints:",
        `  npx wrangler d1 create ${name}`,
        `  npx wrangler r2 bucket create ${name}`,
        `  npx wrangler queues create ${name}-uploads`,
        `  npx wrangler queues create ${name}-dead`,
      ].join("\n"),
    );
  }
  const folder = join(project, ".waggle", "deploy");
  const config = writeDeployment(folder, sites, database);
  const wrangler = (...args: readonly string[]): void => {
    const { status } = spawnSync(NODE, [wranglerProgram(project), ...args, "--config", config], {
      cwd: project,
      stdio: "inherit",
      env: { ...process.env, ...QUIET },
    });
    if (status !== 0) throw new Error(`wrangler ${args[0]} failed with exit code ${status}`);
  };
  if (!dryRun) wrangler("d1", "migrations", "apply", "DB", "--remote");
  wrangler("deploy", "--outdir", join(folder, "bundle"), ...(dryRun ? ["--dry-run"] : []));
}
