/** Every npm script with options explains them, and refuses unknown options with exit code 2. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fault } from "../fixtures/fault.ts";
import { isLong, sampleSize, skipOutside } from "../fixtures/long.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A bad value for each script, and a pattern of the error message. */
const BAD_VALUES: { readonly [script: string]: readonly [arguments_: string, refusal: RegExp] } = {
  start: ["--port 0", /a whole number from 1 to 65535/],
  setup: ["unwanted", /too many arguments/],
  check: ["--seconds 0", /a whole number of at least 1/],
  test: ["--only nothing", /Allowed choices are format, /],
  "test:long": ["--only nothing", /Allowed choices are format, /],
  "test:faults": ["unwanted", /too many arguments/],
  "test:robust": ["unwanted", /too many arguments/],
  "test:tamper": ["--records 0", /a whole number of at least 1/],
  "test:poison": ["--site none", /Allowed choices are bandit, shop/],
  "test:fuzz": ["--requests 0", /a whole number of at least 1/],
  "test:redaction": ["--half none", /Allowed choices are development, final/],
  "test:interop": ["--only nothing", /There is no "nothing". Choose from ai, /],
  health: ["--mutants --package nothing", /Allowed choices are protocol, /],
  "test:mutants": ["--sample many", /a whole number/],
  loop: ["--pages abc", /a whole number from 1 to 64/],
  "bench:engine": ["--only nothing", /There is no "nothing". Choose from /],
  "bench:grammar": ["unwanted", /too many arguments/],
  "bench:runtime": ["--only nothing", /There is no "nothing". Choose from /],
  train: ["--steps many", /a whole number of at least 1/],
  evidence: ["learning --seeds one", /a whole number of at least 0/],
  plan: ["--rank 1.5", /a whole number of at least 1/],
  study: ["--seeds 0", /a whole number of at least 1/],
  trial: ["--seeds 0", /a whole number of at least 1/],
  releases: ["--releases 0", /a whole number of at least 1/],
  "eval-base": ["--only nothing", /There is no "nothing". Choose from typed, /],
  "train-base": ["--seed -1", /a whole number from 1 to 4294967295/],
  export: ["--format word", /Allowed choices are /],
  import: ["--format word", /Allowed choices are /],
  imitate: ["--model absent", /There is no such folder/],
  convert: ["nano --dtype int3", /Allowed choices are f32, /],
  "save-model": ["--shard-size 0", /a number above 0/],
  assets: ["one two", /too many arguments/],
  docs: ["unwanted", /too many arguments/],
  conversations: ["--page nowhere", /a URL that begins with/],
  screenshots: ["--state absent", /There is no such folder/],
  release: ["unwanted", /too many arguments/],
  waggle: ["status --edge nowhere", /a URL that begins with/],
};

/** Scripts with the options of TypeScript, oxlint and oxfmt. */
const OTHERS = ["build", "typecheck", "lint", "format", "format:check"];

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: { [name: string]: string };
};

/** Loading the program takes most of the time, and other tests may share the processor. */
const PATIENCE = 120_000;

type Ended = { readonly code: number; readonly out: string; readonly err: string };

function run(script: string, ...args: readonly string[]): Promise<Ended> {
  const [, , entry = "", ...own] = scripts[script]?.split(" ") ?? [];
  const node = ["--conditions=source", "--disable-warning=ExperimentalWarning", entry];
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...node, ...own, ...args],
      { cwd: ROOT, timeout: PATIENCE, env: { ...process.env, npm_lifecycle_event: script } },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

fault(
  "start and loop refuse bad values before anything starts",
  {
    item: "7.5",
    timeoutMs: PATIENCE,
    before: "`loop --pages abc` ran for ever; `start --recipe nope` started 4 processes",
  },
  async () => {
    const bad = [
      ["loop", "--pages", "abc"],
      ["start", "--recipe", "nope"],
      ["start", "--device", "quantum"],
      ["start", "--model", "/absent"],
      ["loop", "--site", "./absent.ts"],
      ["start", "--site", "bandit"],
    ] as const;
    const tried = bad.slice(0, sampleSize(2, bad.length));
    const ended = await Promise.all(tried.map(([script, ...args]) => run(script, ...args)));
    expect(ended.map(({ code, out }) => ({ code, out }))).toEqual(
      Array.from(ended, () => ({ code: 2, out: "" })),
    );
    expect(ended.map(({ err }) => err.match(/^error: (?:option ')?(--\S+)/)?.[1])).toEqual(
      tried.map(([, option]) => option),
    );
    return { after: `${ended.length} of ${ended.length} ended with exit code 2 and a sentence` };
  },
);

test("every npm script has a case in this file", () => {
  expect(Object.keys(scripts).toSorted()).toEqual(
    [...Object.keys(BAD_VALUES), ...OTHERS].toSorted(),
  );
});

/** A command of the trainer, two scripts and a bench. `npm test` runs these, and the long tests run all. */
const SAMPLE = ["train", "test", "test:fuzz", "bench:engine"];

test.concurrent.for(Object.entries(BAD_VALUES))(
  "npm run %s explains its options and refuses unknown options and bad values",
  { timeout: 3 * PATIENCE },
  async ([script, [bad, refusal]], { expect, skip }) => {
    skipOutside(SAMPLE.includes(script), { skip });
    const refused = await run(script, ...bad.split(" "));
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toMatch(refusal);
    if (!isLong()) return;
    const unknown = await run(script, "--no-such-option");
    expect(unknown).toMatchObject({ code: 2, out: "" });
    // Commander reports a missing option first.
    expect(unknown.err).toMatch(/unknown option '--no-such-option'|required option/);
    const help = await run(script, "--help");
    expect(help).toMatchObject({ code: 0, err: "" });
    expect(help.out).toMatch(new RegExp(`^Usage: npm (run )?${script} --`));
  },
);
