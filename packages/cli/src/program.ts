/** The program behind `waggle`: the trainer's commands, `convert`, and the npm scripts of a checkout. */
import { WAGGLE_VERSION } from "@waggle/protocol";
import { createProgram, type ProgramOptions } from "@waggle/trainer";
import type { Command } from "commander";
import { addConvertCommand } from "./convert-command.ts";
import { addRepositoryCommands } from "./repository-commands.ts";

/** Creates the program with every command. Parse the process's arguments with it. */
export function createWaggle(options: ProgramOptions): Command {
  const program = createProgram(options).version(
    WAGGLE_VERSION,
    "-v, --version",
    "print the version",
  );
  program.commandsGroup("Models and data:");
  addConvertCommand(program, options);
  addRepositoryCommands(program, process.cwd());
  return program;
}
