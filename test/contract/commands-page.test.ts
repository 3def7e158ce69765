/**
 * The options in docs/reference/commands.md are those of the program. With
 * `--update=all`, this test writes them again.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, Help } from "commander";
import { expect, test } from "vitest";
import { createWaggle } from "../../packages/cli/src/program.ts";

const PAGE = join(import.meta.dirname, "../../docs/reference/commands.md");

/** Everything after this heading is written by this test. */
const HEADING = "## Options";

const INTRODUCTION = `The options of every command of \`waggle\`, as \`--help\` prints them.
\`test/contract/commands-page.test.ts\` keeps this section up to date.`;

const help = new Help();

/** Text in a table: a tag would be HTML, and a bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll("<", "&lt;").replaceAll("|", "\\|");
}

/** A sentence: the program's texts begin in lower case and end without a period. */
function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${cell(text).slice(1)}.`;
}

function row(term: string, text: string): string {
  return `| \`${term}\` | ${cell(text)} |`;
}

function section(command: Command): string {
  const { registeredArguments } = command;
  const rows = [
    ...registeredArguments.map((argument) =>
      row(
        argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
        help.argumentDescription(argument),
      ),
    ),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((option) =>
        row(option.flags, help.optionDescription(option).replace(/\s*\(default: false\)$/, "")),
      ),
  ];
  return [
    `### ${command.name()}`,
    "",
    sentence(command.description()),
    "",
    "| argument or option | meaning |",
    "|---|---|",
    ...rows,
  ].join("\n");
}

function scripts(commands: readonly Command[]): string {
  return [
    "### Scripts of the repository",
    "",
    "Inside a checkout, these run the npm script of the same name, which explains its own options.",
    "",
    "| command | what it does |",
    "|---|---|",
    ...commands.map((command) => row(command.name(), command.description())),
  ].join("\n");
}

test("the reference of commands lists every command with its arguments and options", async () => {
  const { commands } = createWaggle({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: () => {},
    environment: {},
  });
  const [head = ""] = readFileSync(PAGE, "utf8").split(`\n${HEADING}\n`);
  const page = [`${head.trimEnd()}\n`, HEADING, "", INTRODUCTION];
  // A script of the repository has its own options and its own --help.
  const isScript = (command: Command): boolean => command.helpGroup().startsWith("Work on Waggle");
  for (const command of commands) if (!isScript(command)) page.push("", section(command));
  page.push("", scripts(commands.filter(isScript)));
  expect(commands.length).toBeGreaterThan(20);
  expect(page.join("\n")).not.toMatch(/\| {2}\|/);
  await expect(`${page.join("\n")}\n`).toMatchFileSnapshot(PAGE);
});
