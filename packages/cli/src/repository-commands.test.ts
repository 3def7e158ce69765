import { Command } from "commander";
import { expect, test } from "vitest";
import { addRepositoryCommands } from "./repository-commands.ts";

test.each(["start", "test", "bench:engine", "docs"])(
  "waggle %s outside a checkout says where it works, in one sentence",
  async (name) => {
    const text: string[] = [];
    const program = new Command("waggle");
    addRepositoryCommands(program, "/");
    for (const command of program.commands) {
      command.exitOverride().configureOutput({ writeErr: (written) => text.push(written) });
    }
    // The script's own options are accepted.
    const ran = program.parseAsync([name, "--json", "--help"], { from: "user" });
    await expect(ran).rejects.toMatchObject({ exitCode: 2 });
    expect(text).toEqual([
      expect.stringMatching(
        `^error: waggle ${name} works only inside a checkout of https://\\S+; clone it`,
      ),
    ]);
  },
);
