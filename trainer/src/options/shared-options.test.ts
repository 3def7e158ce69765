import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Command } from "commander";
import { createProgram } from "../commands/program.ts";

/** Flags that another command uses for something else, and so declares again. */
const OTHER_USES: { readonly [flag: string]: string } = {
  "--as": "save-model: the form of the model; elsewhere the operator's name",
  "--base": "save-model: the folder of the base; elsewhere the number format of its weights",
  "--env":
    "train-edge: its help does not load the built-in environments; elsewhere they are listed",
  "--from": "train-base: the model that goes on; save-model: what was trained",
  "--learning-rate": "train-base: its peak with --nano or --size; elsewhere AdamW's",
  "--report": "evidence: write only the pages; train-base: the file of the report",
  "--sampler": "plan: count the sampler's memory; train: the URL of a server",
  "--seeds": "evidence: a list of seeds; elsewhere their number",
};

function program(): Command {
  return createProgram({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: () => {},
    environment: {},
  });
}

const SOURCE = join(import.meta.dirname, "..");

test("every flag of the program is declared in one place", () => {
  const declared = globSync("**/*.ts", { cwd: SOURCE })
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(SOURCE, file), "utf8");
      const flags = text.matchAll(/[oO]ption\(\s*["`](--[\w-]+)/g);
      return [...flags].map(([, flag = ""]) => ({ flag, file }));
    });
  expect(declared.length).toBeGreaterThan(100);
  const places = Map.groupBy(declared, ({ flag }) => flag);
  const repeated = [...places].filter(([, { length }]) => length > 1);
  expect(new Set(repeated.map(([flag]) => flag))).toEqual(new Set(Object.keys(OTHER_USES)));
  // The search found every flag.
  const flags = program().commands.flatMap(({ options }) => options.map(({ long }) => long ?? ""));
  expect(flags.filter((flag) => !places.has(flag))).toEqual([]);
});

/** Flags with the same meaning in every command. */
const SHARED = ["--json", "--seed", "--bases", "--state", "--set", "--alpha", "--force", "--edge"];

/** Commands in which a flag has its own meaning. */
const OWN = ["train-base --seed"];

test("an option shared by several commands has the same text in each", () => {
  const said = new Map<string, Set<string>>(SHARED.map((flag) => [flag, new Set()]));
  let count = 0;
  for (const command of program().commands) {
    for (const { long, flags, description, defaultValue } of command.options) {
      if (long === undefined || OWN.includes(`${command.name()} ${long}`)) continue;
      said.get(long)?.add(JSON.stringify([flags, description, defaultValue]));
      if (SHARED.includes(long)) count += 1;
    }
  }
  expect(count).toBeGreaterThan(30);
  const several = [...said].filter(([, texts]) => texts.size !== 1);
  expect(several.map(([flag, texts]) => [flag, ...texts])).toEqual([]);
});

test("every command with a run folder resumes by default and starts over with --no-resume", () => {
  const training = program().commands.filter(({ options }) =>
    options.some(({ long }) => long === "--run" || (long === "--state" && isTraining(options))),
  );
  expect(training.map((command) => command.name()).toSorted()).toEqual([
    "imitate",
    "simulate",
    "train",
    "train-base",
    "train-edge",
  ]);
  for (const command of training) {
    expect(command.options.some(({ long }) => long === "--no-resume")).toBe(true);
    const { resume } = command.opts<{ resume?: boolean }>();
    expect(resume).not.toBe(false);
  }
});

/** Other commands only read a trainer's state. */
function isTraining(options: readonly { readonly long?: string }[]): boolean {
  return options.some(({ long }) => long === "--learning-rate");
}

test("evaluate takes --env, and --environment as in earlier releases", () => {
  const evaluate = program().commands.find((command) => command.name() === "evaluate");
  const flags = evaluate?.options.map(({ long, hidden }) => [long, hidden]);
  expect(flags).toContainEqual(["--env", false]);
  expect(flags).toContainEqual(["--environment", true]);
});
