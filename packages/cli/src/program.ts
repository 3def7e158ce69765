/** The program behind `waggle`: commands for a site, the trainer's commands, and the npm scripts of a checkout. */
import { checkRuntimes } from "@waggle/dev";
import { WAGGLE_VERSION } from "@waggle/protocol";
import { createProgram, type ProgramOptions } from "@waggle/trainer";
import type { Command } from "commander";
import { addAssetsCommand } from "./assets-command.ts";
import { addBaseCommand } from "./base-command.ts";
import { addConvertCommand } from "./convert-command.ts";
import { addDeployCommand } from "./deploy-command.ts";
import { addDevCommand } from "./dev-command.ts";
import { addLoopCommand } from "./loop-command.ts";
import { addModelCommand } from "./model/model-command.ts";
import { addRepositoryCommands } from "./repository-commands.ts";
import type { DefaultSite } from "./site-option.ts";

/** What the process gives to every command. */
export type WaggleOptions = ProgramOptions & {
  /** What `loop` runs without `--site`. */
  readonly defaultSite?: DefaultSite;
};

/** Creates the program with every command. Parse the process's arguments with it. */
export function createWaggle(options: WaggleOptions): Command {
  const program = createProgram({ checkRuntimes, ...options }).version(
    WAGGLE_VERSION,
    "-v, --version",
    "print the version",
  );
  program.commandsGroup("Sites:");
  addDevCommand(program);
  addBaseCommand(program, options);
  addLoopCommand(program, options);
  addDeployCommand(program, options);
  addAssetsCommand(program, options);
  program.commandsGroup("Models and data:");
  addModelCommand(program, options);
  addConvertCommand(program, options);
  addRepositoryCommands(program, process.cwd());
  return program;
}
