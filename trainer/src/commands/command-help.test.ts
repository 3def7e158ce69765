import { expect, test } from "vitest";
import { createProgram } from "./program.ts";

/** The output of `--help`, as started by npm. */
async function helpOf(script: string, ...args: readonly string[]): Promise<string> {
  const written: string[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: () => {},
    environment: { npm_lifecycle_event: script },
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: (text) => written.push(text) });
  }
  const shown = program.parseAsync(["node", "main.ts", ...args, "--help"]);
  await expect(shown).rejects.toMatchObject({ code: "commander.helpDisplayed" });
  return written.join("");
}

test("help of `trial` lists the questions, and help of a named trial its arms and expectations", async () => {
  const all = await helpOf("trial", "trial");
  expect(all).toMatch(/staleness {2,}Does learning survive/);
  expect(all).toMatch(/thumbs {5,}Do thumbs of visitors alone teach/);
  const one = await helpOf("trial", "trial", "thumbs");
  expect(one).toContain("6 arms with 8 seeds each, 200 held-out tasks of opinion");
  expect(one).toContain("\n  KTO: thumbs that say nothing gain less than 3 points\n");
  expect(one).not.toContain("staleness");
});

test("help of `study` lists the questions, and help of a named study its sources and arms", async () => {
  expect(await helpOf("study", "study")).toMatch(/planning {2,}Should an agent always plan\?/);
  const one = await helpOf("study", "study", "sft-before-rl");
  expect(one).toContain("(AgentGym-RL, Environment Tuning, ARTIST)");
  expect(one).toContain("\n  25 % imitation\n");
  expect(one).not.toContain("Should an agent always plan?");
});

test("usage shows the npm script that was run, and no switch mentions its default", async () => {
  expect(await helpOf("train", "train")).toMatch(/^Usage: npm run train -- \[options\]/);
  expect(await helpOf("test", "plan")).toMatch(/^Usage: waggle plan /);
  expect(await helpOf("waggle", "plan")).toMatch(/^Usage: npm run waggle -- plan /);
  expect(await helpOf("evidence", "evidence")).not.toContain("(default: false)");
});
