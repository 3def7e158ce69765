/** Headings of the commands in `--help`, by the reader's task. */
import type { Command } from "commander";

const GROUPS: { readonly [heading: string]: readonly string[] } = {
  "Train:": [
    "train",
    "train-edge",
    "simulate",
    "imitate",
    "train-base",
    "check",
    "plan",
    "evaluate",
  ],
  "Models and data:": ["save-model", "export", "import"],
  "Measure:": ["evidence", "study", "trial", "releases"],
};

/** Puts every command under a heading; unlisted commands operate an edge. */
export function groupCommands(program: Command): void {
  for (const command of program.commands) {
    const [heading = "Operate an edge:"] =
      Object.entries(GROUPS).find(([, names]) => names.includes(command.name())) ?? [];
    command.helpGroup(heading);
  }
}
