import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WAGGLE_VERSION } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createWaggle } from "./program.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The program, with its output to both streams. */
function waggle(): {
  readonly run: (...args: string[]) => Promise<unknown>;
  readonly text: string[];
} {
  const text: string[] = [];
  const into = (written: string): void => void text.push(written);
  const program = createWaggle({
    signal: new AbortController().signal,
    writeOut: into,
    writeError: into,
    environment: {},
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: into, writeErr: into });
  }
  return { run: (...args) => program.parseAsync(args, { from: "user" }), text };
}

test("every npm script is a command with the same name, and no command appears twice", async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: { [name: string]: string };
  };
  const { run, text } = waggle();
  await expect(run("--help")).rejects.toMatchObject({ code: "commander.helpDisplayed" });
  const commands = [...text.join("").matchAll(/^ {2}([a-z][a-z:-]*)(?: |$)/gm)].map(
    ([, name]) => name,
  );
  expect(new Set(commands).size).toBe(commands.length);
  expect(commands).toEqual(
    expect.arrayContaining(Object.keys(scripts).filter((name) => name !== "waggle")),
  );
});

test("an npm script that is a waggle command runs that command", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: { [name: string]: string };
  };
  const own = Object.entries(scripts).filter(([, script]) => script.includes("packages/cli/"));
  expect(own.length).toBeGreaterThanOrEqual(10);
  for (const [name, script] of own) {
    const args = name === "waggle" ? "" : ` ${name}`;
    expect(script).toBe(`node scripts/run.mjs packages/cli/src/main.ts${args}`);
  }
});

test("the version is that of the packages", async () => {
  const { run, text } = waggle();
  await expect(run("--version")).rejects.toMatchObject({ code: "commander.version" });
  expect(text).toEqual([`${WAGGLE_VERSION}\n`]);
});

test.each(["dev", "loop", "base", "deploy"])(
  "waggle %s takes its site as an argument or as --site, and refuses both",
  async (command) => {
    const { run, text } = waggle();
    const missing = /there is no file .*no-such-site/;
    await expect(run(command, "./no-such-site")).rejects.toThrow(missing);
    await expect(run(command, "--site", "./no-such-site")).rejects.toThrow(missing);
    await expect(run(command, "./one", "--site", "./other")).rejects.toMatchObject({
      code: "commander.error",
    });
    expect(text.join("")).toContain("the site is given twice; write it as [site] or as --site");
  },
);
