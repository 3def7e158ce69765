/**
 * Commands for work on Waggle itself. Inside a checkout they run the npm script of the same name with all arguments.
 * Elsewhere they print one sentence about where they work.
 */
import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { checkoutAt, REPOSITORY } from "./checkout.ts";

/** npm scripts of the repository that are not commands of their own. */
const SCRIPTS: { readonly [name: string]: string } = {
  start: "start the edge, the trainer, the demo page and the dashboard",
  setup: "prepare storage, pages and Chromium for start and test",
  docs: "build the documentation site",
  screenshots: "take screenshots of the demo page and the dashboard",
  conversations: "take pictures of conversations with a running page",
  test: "run every check",
  "test:long": "run every check with every test case",
  "test:faults": "kill and damage a running loop 200 times",
  "test:robust": "inject every known fault and count the losses",
  "test:tamper": "attack the edge and the trainer's check",
  "test:poison": "train among hostile visitors and measure what they change",
  "test:fuzz": "send random requests to the edge and random files to the decoders",
  "test:redaction": "measure how much personal data the redaction finds",
  "test:interop": "try Waggle with programs and models of others",
  "eval-base": "evaluate a base model on typed requests, held-out talks, BFCL and unseen tools",
  health: "measure names, cycles, folders, words and documentation",
  "test:mutants": "insert known mistakes and count those that tests catch",
  "bench:engine": "compare the training engine with other engines",
  "bench:grammar": "compare grammars with other libraries",
  "bench:runtime": "compare the runtime with other runtimes",
  build: "compile the packages",
  typecheck: "check the types of sources and tests",
  lint: "lint all files",
  format: "format all files",
  "format:check": "check the formatting of all files",
  release: "version, check or publish the packages",
};

const REFUSED = 2;

/** Adds one command per script. @param folder working directory of the command. */
export function addRepositoryCommands(program: Command, folder: string): void {
  program.enablePositionalOptions().commandsGroup("Work on Waggle itself (inside a checkout):");
  for (const [name, description] of Object.entries(SCRIPTS)) {
    program
      .command(name)
      .description(description)
      .argument("[arguments...]")
      // The script has its own options and its own --help.
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action((given: readonly string[], _options: object, command: Command) => {
        const root = checkoutAt(folder);
        if (root === null) {
          command.error(
            `error: waggle ${name} works only inside a checkout of ${REPOSITORY}; clone it and run the command there`,
            { exitCode: REFUSED },
          );
        }
        process.exitCode = runScript(root, name, given);
      });
  }
}

/** Runs an npm script. @returns its exit code. */
function runScript(root: string, name: string, args: readonly string[]): number {
  const { status } = spawnSync("npm", ["run", "--silent", name, "--", ...args], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  return status ?? 1;
}
