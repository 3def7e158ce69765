/** `waggle check` on the example of the docs, and on environments with faults. */
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { isLong, skipOutside } from "../../../test/fixtures/long.ts";
import { PLANNER_FILES, plannerSite } from "../../../test/fixtures/planner-site.ts";
import { NANO_MODEL } from "../model/shipped-models.ts";
import { addCheckCommand } from "./check-command.ts";
import type { CheckedEnvironment, CheckRuntimes } from "../options/runtime-checks.ts";

const EXAMPLES = join(import.meta.dirname, "../../../docs/examples");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-check-"));
  await symlink(join(import.meta.dirname, "../../../node_modules"), join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  process.exitCode = 0;
  return () => {
    process.exitCode = 0;
  };
});

/** Lines that the command prints to its output. */
const checked = (...args: string[]): Promise<string[]> => checkedWith(undefined, ...args);

async function checkedWith(
  checkRuntimes: CheckRuntimes | undefined,
  ...args: string[]
): Promise<string[]> {
  const lines: string[] = [];
  const program = new Command();
  addCheckCommand(program, {
    signal: new AbortController().signal,
    writeOut: (line) => lines.push(line),
    writeError: () => {},
    checkRuntimes,
  });
  await program.parseAsync(["check", ...args], { from: "user" });
  return lines;
}

/** Saves an environment with changes of this one and returns its path. */
async function saved(name: string, changes: string): Promise<string> {
  const path = join(folder, `${name}.ts`);
  await writeFile(
    path,
    `import { defineEnvironment } from "@waggle/agent/define";
export default defineEnvironment({
  name: ${JSON.stringify(name)},
  prompt: "You repeat.",
  tasks: ({ random }) => {
    const word = random().toString(36).slice(2, 8);
    return { request: word, state: {}, data: { word } };
  },
  tools: {},
  verify: ({ text, data }) => text === data.word,
  demonstrate: ({ data }) => [data.word],
  nearMiss: ({ data }) => [[data.word + "s"]],
  ${changes}
});
`,
  );
  return path;
}

test.for(["support-desk", "budget-sheet"])(
  "the example %s of the docs passes, with one line per check",
  async (name, context) => {
    skipOutside(name === "support-desk", context);
    const few = isLong() ? [] : ["--tasks", "10"];
    const lines = await checked(join(EXAMPLES, `${name}.ts`), ...few);
    expect(process.exitCode).toBe(0);
    expect(lines.at(-1)).toBe(`${name} is ready`);
    expect(lines.slice(0, -1).map((line) => line.slice(0, 22))).toEqual(
      [
        "tasks",
        "splits",
        "held out",
        "schemas",
        "secrets",
        "gold",
        "near misses",
        "doing nothing",
        "demonstrator",
        "mistakes",
        "replay",
        "levels",
        "grammar",
        "lengths",
      ].map((check) => `passed   ${check.padEnd(13)}`),
    );
  },
);

test("an environment with a fault ends with exit code 1, and JSON names the task that shows it", async () => {
  const path = await saved("faulty", 'gold: ({ data }) => [data.word, "again"].slice(1),');
  const [line = ""] = await checked(path, "--json", "--tasks", "3");
  expect(process.exitCode).toBe(1);
  const { environment, passed, checks } = JSON.parse(line);
  expect({ environment, passed }).toEqual({ environment: "faulty", passed: false });
  const [gold, ...others] = checks.filter(({ status }: { status: string }) => status === "failed");
  expect(others).toEqual([]);
  expect(gold).toEqual({
    check: "gold",
    status: "failed",
    words: 'the gold turns fail at seed 0, train, level 0 ("cn3684"): the verifier says no',
    task: { environment: "faulty", seed: 0, split: "train" },
  });
});

test.each([
  [
    "crowded",
    "contextLength: 16,",
    /^failed   lengths        of 200 demonstrations, the longest takes \d+ of 16 tokens.*write contextLength: 256$/,
  ],
  [
    "tight",
    "contextLength: 64,",
    /^passed   lengths        .* of 64 tokens, .*; a longer request or one more turn would be cut; a higher contextLength leaves room$/,
  ],
  [
    "terse",
    "maxTurnTokens: 2,",
    /^failed   lengths        .* the longest turn \d+ of 2; write maxTurnTokens: \d+$/,
  ],
  [
    "undemonstrated",
    "demonstrate: undefined,",
    /^skipped  demonstrator   there is no demonstrate, so there is no base model and no imitation$/,
  ],
])("%s: says what is wrong", async (name, changes, message) => {
  const lines = await checked(await saved(name, changes), "--tasks", "3");
  expect(lines.find((line) => message.test(line))).toBeDefined();
});

/** The line about lengths of a site whose config has this in place of its base. */
async function lengthsWith(base: string, environment: (text: string) => string): Promise<string> {
  const { "waggle.config.ts": config = "", "environment.ts": practice = "" } = PLANNER_FILES;
  const site = plannerSite({
    "waggle.config.ts": config.replace(/^ {2}base: .*$/m, `  ${base},`),
    "environment.ts": environment(practice),
  });
  onTestFinished(site.remove);
  const lines = await checked(site.folder, "--tasks", "2");
  return lines.find((line) => line.includes("  lengths  ")) ?? "";
}

/** An environment whose requests have this many words more. */
const wordy = (count: number) => (practice: string) =>
  practice.replace(
    "return { request: `Move meeting ${number} to ${day}.`",
    `return { request: \`Move meeting \${number} to \${day}.\${" perambulation".repeat(${count})}\``,
  );

test.each([
  [
    "a base from the default model, where tasks fit",
    'base: { from: "default" }',
    100,
    /^passed .* of 1024 tokens, and the longest turn \d+ of 96, as the model that the base goes on from reads them$/,
  ],
  [
    "a base from the default model, where tasks are too long",
    'base: { from: "default" }',
    300,
    /^failed .* of 1024 tokens.* reads them; shorten the prompt, .*, or leave base\.from out and write contextLength: \d+$/,
  ],
  [
    "a site with its own model",
    `model: ${JSON.stringify(NANO_MODEL)}`,
    200,
    /^failed .* of 512 tokens, .*, as the site's model reads them; shorten the prompt, .*, or choose a model with a longer context$/,
  ],
])("lengths are measured with what the site will have: %s", async (_, base, count, line) => {
  expect(await lengthsWith(base, wordy(count))).toMatch(line);
});

test("without demonstrations there are no lengths, and a model that cannot be opened fails", async () => {
  const undemonstrated = (practice: string) => practice.replace(/^ {2}demonstrate: .*$/m, "");
  expect(await lengthsWith('base: { from: "default" }', undemonstrated)).toMatch(
    /^skipped .* there are no demonstrations to measure$/,
  );
  expect(await lengthsWith('base: { from: "./absent" }', (same) => same)).toMatch(
    /^failed .*absent/,
  );
});

test("a demonstrator that fails is not taken for a missing one", async () => {
  const failing = (practice: string) =>
    practice.replace(
      /^ {2}demonstrate: .*$/m,
      '  demonstrate: () => { throw new Error("lost"); },',
    );
  expect(await lengthsWith("base: {}", failing)).toMatch(/^failed .*lost/);
});

test("a schema with an unknown type fails, with its place", async () => {
  const tools = `tools: { find: {
    description: "Find.",
    parameters: { type: "object", properties: { q: { type: "text" } } },
    run: () => 1,
  } },`;
  const lines = await checked(await saved("strict", tools), "--tasks", "3");
  expect(lines.filter((line) => line.includes("grammar"))).toEqual([
    expect.stringMatching(/^failed   grammar        the parameters of find: .*q.*"text"/),
  ]);
});

test("without an argument it checks the site in the working folder, and says if there is none", async () => {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  await expect(checked()).rejects.toThrow(
    /there is no waggle\.config\.ts in .*; make a site with npm create waggle/,
  );
});

test("of a site without an environment, config and tools are checked, and what it lacks to learn is said", async () => {
  const config = PLANNER_FILES["waggle.config.ts"] ?? "";
  const written = config.replace(/^ {2}(environment|reward): .*$/gm, "");
  const site = plannerSite({ "waggle.config.ts": written });
  onTestFinished(site.remove);
  const said = "planner has no environment, so only its config and its tools were checked";
  expect(await checked(site.folder)).toEqual([said]);
  const learning = (judge: string): string =>
    written
      .replace(/^ {2}training: .*$/m, "")
      .replace(
        "  base:",
        `  training: { recipe: "thumbs-reinforce", feedbackWaitSeconds: 60, ${judge} },\n  consent: { version: "1", text: "We learn." },\n  base:`,
      );
  const rated = plannerSite({ "waggle.config.ts": learning("") });
  onTestFinished(rated.remove);
  expect(await checked(rated.folder)).toEqual([
    `${said}; it learns nothing from feedback until visitors (gate.release) or a judge (training.judge.comparisons) can decide about a new version`,
  ]);
  const compared = plannerSite({
    "waggle.config.ts": learning('judge: { model: "judge", comparisons: 128 }'),
  });
  onTestFinished(compared.remove);
  expect(await checked(compared.folder)).toEqual([said]);
  expect(process.exitCode).toBe(0);
});

test.each([
  [["in workerd"], "not checked in workerd"],
  [["in workerd", "in Chromium"], "not checked in workerd or in Chromium"],
  [["in Chromium", "page"], "not checked in Chromium, and page and practice were not compared"],
  [["page"], "page and practice were not compared"],
])("where %j are skipped, the last line says so", async (missing, words) => {
  const skipping: CheckRuntimes = async function* () {
    for (const check of missing) yield { check, status: "skipped", words: "cannot run" };
  };
  const name = `skipped-${missing.join("-").replaceAll(" ", "-").toLowerCase()}`;
  const lines = await checkedWith(skipping, await saved(name, ""), "--tasks", "2");
  expect(lines.at(-1)).toBe(`${name} is ready, but ${words}`);
});

test("other runtimes check what repeats in Node, and count", async () => {
  const asked: CheckedEnvironment[] = [];
  const inMars: CheckRuntimes = async function* (environment) {
    asked.push(environment);
    yield { check: "in Mars", status: "failed", words: "two moons" };
  };
  const sound = await saved("sound-there", "");
  expect(await checkedWith(inMars, sound, "--tasks", "2")).toContain(
    "failed   in Mars        two moons",
  );
  expect(process.exitCode).toBe(1);
  expect(asked).toMatchObject([{ file: sound, exportName: "default", reward: null }]);
  await checkedWith(inMars, "strings", "--tasks", "2");
  expect(asked).toHaveLength(1);
});

/** Runtimes that are skipped where there is an obstacle. */
const skippedWhere: CheckRuntimes = async function* (_, { obstacle }) {
  yield {
    check: "in Mars",
    status: obstacle === null ? "passed" : "skipped",
    words: obstacle ?? "",
  };
};

/** A site that also keeps an environment of three requests, in which silence is right. */
function keepingSite(verify: string) {
  const { "waggle.config.ts": config = "", "environment.ts": practice = "" } = PLANNER_FILES;
  const everyday = practice
    .replace('name: "planner"', 'name: "everyday"')
    .replace(
      /tasks: [\s\S]*?\n {2}\},\n/,
      () => `splits: "own",
  tasks: ({ pick }) => ({ request: pick(["Hello!", "Thanks.", "Bye."]), state: { day: "" }, data: {} }),
`,
    )
    .replace(
      /verify: [\s\S]*\n\}\);/,
      () => `verify: ({ state }) => ${verify},
  gold: () => ["You are welcome."],
  nearMiss: () => [[["move", { day: "monday" }], "Moved."]],
});`,
    );
  const site = plannerSite({
    "waggle.config.ts": config.replace(
      "  reward:",
      `  retentionEnvironment: () => ${"import"}("./everyday.ts"),\n  reward:`,
    ),
    "everyday.ts": everyday,
  });
  onTestFinished(site.remove);
  return site.folder;
}

test.for([
  [
    'state.day === ""',
    /^passed {3}retention {6}everyday passes tasks, schemas, secrets, gold, near misses, replay; the gate plays/,
  ],
  ["true", /^failed {3}retention {6}everyday: near misses: near miss 0 succeeds at seed 0, train/],
  [
    'state.day === "friday"',
    /^failed {3}retention {6}everyday: gold: the gold turns fail at seed 0, train, level 0 \(".*"\): /,
  ],
] as const)(
  "a site's retention environment has one line, without the rules of practice: %s",
  { timeout: 30_000 },
  async ([verify, line], context) => {
    skipOutside(!verify.includes("friday"), context);
    const lines = await checked(keepingSite(verify), "--tasks", "3");
    expect(lines.filter((one) => one.includes("retention"))).toEqual([expect.stringMatching(line)]);
  },
);

test("where the turns do not repeat in Node, other runtimes are skipped", async () => {
  const changing = await saved(
    "changing",
    "levels: 1, verify: () => (globalThis.calls = (globalThis.calls ?? 0) + 1) % 3 === 0,",
  );
  expect(await checkedWith(skippedWhere, changing)).toContain(
    "skipped  in Mars        not run, because the check replay failed",
  );
});

test("a tool that hangs is waited for once, and the checks that need it are not run", async () => {
  const { "environment.ts": environment = "" } = PLANNER_FILES;
  const run = "run: ({ day }, state) => (state.day = day)";
  expect(environment).toContain(run);
  const counting = "globalThis.hung = (globalThis.hung ?? 0) + 1";
  const site = plannerSite({
    "environment.ts": environment.replace(
      run,
      `run: () => new Promise(() => void (${counting})), timeoutMs: 20`,
    ),
  });
  onTestFinished(site.remove);
  const lines = await checkedWith(skippedWhere, site.folder, "--tasks", "2");
  expect((globalThis as { hung?: number }).hung).toBe(1);
  const reason = "not run, because move gave no result within 20 ms at seed 0, train, level 0";
  expect(lines.slice(-5)).toEqual([
    expect.stringMatching(/^passed {3}grammar/),
    `skipped  lengths        ${reason}`,
    `skipped  in Mars        ${reason}`,
    `skipped  page           ${reason}`,
    expect.stringMatching(/^planner: \d of 17 checks failed$/),
  ]);
});

test.each([
  ["every task", "true"],
  ["some tasks", "random() < 0.3"],
])("tasks that throw in %s are failed checks of a site", async (_, when) => {
  const { "environment.ts": environment = "" } = PLANNER_FILES;
  const drawing = "const day = pick(DAYS);";
  expect(environment).toContain(drawing);
  const site = plannerSite({
    "environment.ts": environment.replace(
      drawing,
      `if (${when}) throw new Error("the day is full"); ${drawing}`,
    ),
  });
  onTestFinished(site.remove);
  const lines = await checkedWith(skippedWhere, site.folder, "--tasks", "3");
  expect(lines.find((line) => line.startsWith("failed   tasks"))).toMatch(/the day is full$/);
  expect(lines.find((line) => line.startsWith("failed   page"))).toMatch(/the day is full$/);
  expect(lines.at(-1)).toMatch(/^planner: \d+ of 17 checks failed$/);
  expect(process.exitCode).toBe(1);
});
