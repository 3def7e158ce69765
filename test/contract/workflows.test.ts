/**
 * The workflows of GitHub Actions: pinned actions, few rights, a time limit, scripts that exist, and a machine on which the
 * long tests can run. Nothing here runs a workflow.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../../scripts/root.ts";
import { testSteps } from "../../scripts/testing/test-steps.ts";

const FOLDER = join(ROOT, ".github", "workflows");
const WORKFLOWS = readdirSync(FOLDER).map((name) => ({
  name,
  text: readFileSync(join(FOLDER, name), "utf8"),
}));
const every = (pattern: RegExp): string[] =>
  WORKFLOWS.flatMap(({ text }) => Array.from(text.matchAll(pattern), ([, found = ""]) => found));

test("every action is pinned to a commit, the same one in every workflow", () => {
  const actions = every(/uses: (.*)/g);
  for (const action of actions) {
    expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
  const names = new Set(actions.map((action) => action.split("@")[0]));
  expect(new Set(actions).size).toBe(names.size);
});

test.each(WORKFLOWS)("$name may only read the repository, and its jobs end", ({ text }) => {
  expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
  const jobs = text.slice(text.indexOf("\njobs:\n")).match(/^ {2}[\w-]+:$/gm) ?? [];
  expect(jobs.length).toBeGreaterThan(0);
  expect(text.match(/^ {4}timeout-minutes: \d+$/gm)).toHaveLength(jobs.length);
  expect(text.match(/persist-credentials: false/g)).toHaveLength(
    text.match(/actions\/checkout@/g)?.length ?? 0,
  );
});

test("every npm script that a workflow runs exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: object;
  };
  const names = every(/run: npm run ([\w:-]+)/g);
  expect(names).toContain("test:long");
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
});

type Job = {
  readonly container?: { readonly image: string };
  readonly env?: { readonly HOME?: string };
  readonly strategy?: { readonly matrix: { readonly step?: readonly string[] } };
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: { readonly "fetch-depth"?: number };
    readonly "timeout-minutes"?: number;
  }[];
};

/** The jobs that run `npm run test:long`, and the step that does. */
const longJobs = WORKFLOWS.flatMap(({ text }) =>
  Object.values((parse(text) as { readonly jobs: { readonly [name: string]: Job } }).jobs),
).flatMap((job) => {
  const step = job.steps.find(({ run }) => run?.startsWith("npm run test:long"));
  return step === undefined ? [] : [{ job, step }];
});

test("each night, every step with tests runs with every case, alone", () => {
  expect(longJobs).toHaveLength(1);
  for (const { job, step } of longJobs) {
    expect(step.run).toBe("npm run test:long -- --only ${{ matrix.step }}");
    const tested = testSteps(true).filter(({ isVitest }) => isVitest === true);
    expect(job.strategy?.matrix.step).toEqual([...new Set(tested.map(({ name }) => name))]);
  }
});

test("the long tests have the previous release's history, and Debian's packages as root", () => {
  expect(longJobs).not.toEqual([]);
  for (const { job } of longJobs) {
    const checkout = job.steps.find(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkout?.with?.["fetch-depth"]).toBe(0);
    expect(job.container?.image).toMatch(/^node:\d+-(bookworm|trixie)$/);
    expect(job.env?.HOME).toBe("/root");
    // Git refuses a folder of another user.
    expect(job.steps.map(({ run }) => run ?? "")).toContainEqual(
      expect.stringMatching(/^git config .*safe\.directory/),
    );
  }
});

test("the limit of a long step is at least twice what the end-to-end files last took", () => {
  const record = JSON.parse(
    readFileSync(join(ROOT, "docs", "evidence", "test-long.json"), "utf8"),
  ) as { readonly [title: string]: { readonly seconds: number } };
  const endToEnd = Object.entries(record).filter(([title]) => title.startsWith("end to end: "));
  const minutes = endToEnd.reduce((sum, [, { seconds }]) => sum + seconds / 60, 0);
  expect(minutes).toBeGreaterThan(0);
  for (const { step } of longJobs) expect(step["timeout-minutes"]).toBeGreaterThan(2 * minutes);
});
