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
