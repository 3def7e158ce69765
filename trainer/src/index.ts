/** The trainer's commands, for command lines that offer them. */
export { createCommand, exitCodeOf } from "./commands/command-line.ts";
export { createProgram } from "./commands/program.ts";
export type { ProgramOptions } from "./options/program-options.ts";
export { jsonOption } from "./options/shared-options.ts";
