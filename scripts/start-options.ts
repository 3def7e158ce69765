/** The command line of `npm start`. Invalid options are refused before anything starts. */
import { resolve } from "node:path";
import { WaggleError } from "@waggle/protocol";
import { InvalidArgumentError } from "commander";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { DEFAULT_EDGE_RECIPE, edgeRecipeNamed } from "../trainer/src/recipes/edge-recipe.ts";
import { existingModel, wholeIn } from "../trainer/src/options/option-values.ts";
import { deviceOption } from "../trainer/src/options/server-options.ts";
import { stateFolder } from "./services.ts";
import type { Site } from "./site.ts";
import { siteOf, siteOption } from "./site-option.ts";

/** The parsed options. */
export type StartOptions = {
  /** Default: the demo shop. */
  readonly site?: Site;
  readonly model?: string;
  readonly state: string;
  readonly device: string;
  readonly recipe: string;
  readonly port?: number;
  readonly shopPort?: number;
  readonly dashboardPort?: number;
  readonly resume: boolean;
  readonly trainer: boolean;
  readonly isolation: boolean;
  readonly verbose?: boolean;
};

const port = wholeIn(1, 65_535);

/** Parses the arguments. Exits with code 2 if they are invalid. */
export async function readStartOptions(argv: readonly string[]): Promise<StartOptions> {
  const program = createCommand("npm start --")
    .description(
      "start the edge Worker, the trainer, the demo shop and the dashboard on this machine",
    )
    .addOption(siteOption())
    .option(
      "--model <folder>",
      "Hugging Face model folder (qwen3, qwen2, llama or smollm3) (default: the site's base model, made once, or the shop's nano model)",
      existingModel,
    )
    .option("--state <folder>", "folder for data and learned policies (default: in .waggle)")
    .addOption(deviceOption())
    .option("--recipe <name>", "recipe that the trainer uses", recipe, DEFAULT_EDGE_RECIPE)
    .option("--port <port>", "port of the edge (default: 8787, or a free one)", port)
    .option(
      "--shop-port <port>",
      "port of the shop or the site's page (default: 5173, or a free one)",
      port,
    )
    .option("--dashboard-port <port>", "port of the dashboard (default: 5174, or a free one)", port)
    .option("--no-resume", "discard the trainer's state and start from the stable policy")
    .option("--no-trainer", "start without the trainer")
    .option("--no-isolation", "serve the page without cross-origin isolation")
    .option("--verbose", "print all output of every process");
  try {
    program.parse(argv);
  } catch (error) {
    // A device that this machine does not have.
    program.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  }
  const {
    model,
    state,
    site: source,
    ...given
  } = program.opts<Omit<StartOptions, "state" | "site"> & { state?: string; site?: string }>();
  const folder = model === undefined ? undefined : resolve(model);
  const site = await siteOf(source, program);
  return {
    ...given,
    ...(site === undefined ? {} : { site }),
    ...(folder === undefined ? {} : { model: folder }),
    state: state === undefined ? stateFolder(folder, site?.name) : resolve(state),
  };
}

/** Validates a recipe that can train from an edge. */
function recipe(name: string): string {
  try {
    return edgeRecipeNamed(name).name;
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}
