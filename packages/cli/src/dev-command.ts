/** `dev`: runs a site on this machine until it is stopped. In the repository, `npm start` is the same for the demo. */
import { resolve } from "node:path";
import {
  practicePage,
  runStack,
  type Site,
  sitePage,
  type StackPage,
  stateFolder,
  stopSignal,
} from "@waggle/dev";
import { DEFAULT_EDGE_RECIPE, deviceOption, existingModel, wholeIn } from "@waggle/trainer";
import type { Command } from "commander";
import { edgeRecipe } from "./recipe-option.ts";
import { type DefaultSite, siteOf, withSite } from "./site-option.ts";

type Flags = {
  readonly site?: string;
  readonly model?: string;
  readonly state?: string;
  readonly device: string;
  readonly recipe?: string;
  readonly port?: number;
  readonly pagePort?: number;
  readonly dashboardPort?: number;
  readonly resume: boolean;
  readonly trainer: boolean;
  readonly isolation: boolean;
  readonly verbose?: boolean;
};

const port = wholeIn(1, 65_535);

/** Gives the command its options. `npm start` has the same ones. */
export function withDevOptions(command: Command): Command {
  return command
    .option(
      "--model <folder>",
      "Hugging Face model folder (qwen3, qwen2, llama or smollm3), or default or nano (default: the site's own or its base model, made once)",
      existingModel,
    )
    .option("--state <folder>", "folder for data and learned policies (default: in .waggle)")
    .addOption(deviceOption())
    .option(
      "--recipe <name>",
      `recipe that the trainer uses (default: the site's, or ${DEFAULT_EDGE_RECIPE})`,
      edgeRecipe,
    )
    .option("--port <port>", "port of the edge (default: 8787, or a free one)", port)
    .option("--page-port <port>", "port of the site's page (default: 5173, or a free one)", port)
    .option("--dashboard-port <port>", "port of the dashboard (default: 5174, or a free one)", port)
    .option("--no-resume", "discard the trainer's state and start from the stable policy")
    .option("--no-trainer", "start without the trainer: the model does not learn")
    .option("--no-isolation", "serve the page without cross-origin isolation")
    .option("--verbose", "print all output of every process");
}

/** Adds the command. */
export function addDevCommand(program: Command): void {
  withDevOptions(withSite(program.command("dev")))
    .description("run a site on this machine: its page, edge, trainer and dashboard")
    .action((_: string | undefined, { site = ".", ...given }: Flags) =>
      runSite({ ...given, site }),
    );
}

/** Runs the site until it is stopped. */
export async function runSite(given: Flags, defaultSite?: DefaultSite): Promise<void> {
  const model = given.model === undefined ? undefined : resolve(given.model);
  const site = await siteOf(given.site, defaultSite, model);
  const isDefault = given.site === undefined;
  const { state, pagePort, model: _, site: __, ...rest } = given;
  const failure = await runStack({
    ...rest,
    site,
    pages: pagesOf(site, pagePort),
    ...(model === undefined ? {} : { model }),
    state: state === undefined ? stateFolder(site, "local", model) : resolve(state),
    reloads: !isDefault,
    signal: stopSignal(),
  });
  if (failure !== null) process.exitCode = 1;
}

/** Its own page, and one on which visitors practice if that is not the same. */
function pagesOf(site: Site, port?: number): readonly StackPage[] {
  if (site.page === undefined && site.practice === undefined) return [];
  const first = { page: sitePage(site), title: site.name, port, preferred: 5173 };
  if (site.page === undefined || site.page.hasPractice || site.practice === undefined)
    return [first];
  return [first, { page: practicePage(site), title: "practice", preferred: 5175 }];
}
