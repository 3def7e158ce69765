/** The command line of `npm start`. Everything that can be refused is refused here, before anything starts. */
import { resolve } from "node:path";
import { WaggleError } from "@waggle/protocol";
import { InvalidArgumentError } from "commander";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { DEFAULT_EDGE_RECIPE, edgeRecipeNamed } from "../trainer/src/recipes/edge-recipe.ts";
import { existingModel, wholeIn } from "../trainer/src/options/option-values.ts";
import { deviceOption } from "../trainer/src/options/server-options.ts";
import { stateFolder } from "./services.ts";

export type StartOptions = {
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

/** Reads the process's arguments. Ends the process with code 2 where they are refused. */
export function readStartOptions(argv: readonly string[]): StartOptions {
  const program = createCommand("npm start --")
    .description(
      "Starts the edge Worker, the trainer, the demo shop and the dashboard on this machine.",
    )
    .option(
      "--model <folder>",
      "a Hugging Face model folder (qwen3, qwen2, llama or smollm3); default: the nano model",
      existingModel,
    )
    .option("--state <folder>", "where data and learned policies are kept; default: in .waggle")
    .addOption(deviceOption())
    .option("--recipe <name>", "recipe of the trainer", recipe, DEFAULT_EDGE_RECIPE)
    .option("--port <port>", "port of the edge; default: 8787, or a free one", port)
    .option("--shop-port <port>", "port of the demo shop; default: 5173, or a free one", port)
    .option("--dashboard-port <port>", "port of the dashboard; default: 5174, or a free one", port)
    .option("--no-resume", "the trainer forgets its state and starts from the stable policy")
    .option("--no-trainer", "start without the trainer")
    .option("--no-isolation", "serve the shop without cross-origin isolation")
    .option("--verbose", "print every line of every process");
  try {
    program.parse(argv);
  } catch (error) {
    // A device that this machine does not have.
    program.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { model, state, ...given } = program.opts<
    Omit<StartOptions, "state"> & { state?: string }
  >();
  const folder = model === undefined ? undefined : resolve(model);
  return {
    ...given,
    ...(folder === undefined ? {} : { model: folder }),
    state: state === undefined ? stateFolder(folder) : resolve(state),
  };
}

/** A recipe that the trainer of an edge can run. */
function recipe(name: string): string {
  try {
    return edgeRecipeNamed(name).name;
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}
