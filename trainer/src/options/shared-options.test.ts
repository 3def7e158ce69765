import { expect, test } from "vitest";
import { createProgram } from "../commands/program.ts";

/** Flags with the same meaning in every command. */
const SHARED = ["--json", "--seed", "--bases", "--state", "--set", "--alpha", "--force", "--edge"];

/** Commands in which a flag has its own meaning. */
const OWN = ["train-base --seed"];

test("an option shared by several commands has the same text in each", () => {
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: () => {},
    environment: {},
  });
  const said = new Map<string, Set<string>>(SHARED.map((flag) => [flag, new Set()]));
  let count = 0;
  for (const command of program.commands) {
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
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: () => {},
    environment: {},
  });
  const training = program.commands.filter(({ options }) =>
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
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: () => {},
    environment: {},
  });
  const evaluate = program.commands.find((command) => command.name() === "evaluate");
  const flags = evaluate?.options.map(({ long, hidden }) => [long, hidden]);
  expect(flags).toContainEqual(["--env", false]);
  expect(flags).toContainEqual(["--environment", true]);
});
