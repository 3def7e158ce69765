/**
 * The root command of every script: a refused option or value ends the process with exit code 2.
 */
import { WaggleError } from "@waggle/protocol";
import { Command, Help, type HelpConfiguration } from "commander";

const REFUSED = 2;

const plainHelp = new Help();
/** Commander's default notes on switches. */
const OFF = /\s*\(default: false\)$/;

/** Leaves out that a switch is off by default. */
export const OPTION_HELP: HelpConfiguration = {
  optionDescription: (option) => plainHelp.optionDescription(option).replace(OFF, ""),
};

/** A command for `parse`. Commander prints usage errors, and the process ends with code 2. */
export function createCommand(name: string): Command {
  return new Command(name)
    .allowExcessArguments(false)
    .configureHelp(OPTION_HELP)
    .showHelpAfterError("Run it with --help to see the options.")
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : REFUSED));
}

/** The exit code for an `error` that a command threw: 2 for refused arguments, else 1. */
export function exitCodeOf(error: unknown): number {
  return WaggleError.is(error, "INVALID_ARGUMENT") ? REFUSED : 1;
}
