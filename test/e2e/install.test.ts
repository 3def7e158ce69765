/**
 * Waggle as users install it: every package is published to a local registry and installed from there into an empty
 * project. The command trains a recipe, a page embeds the agent, and a separate Worker re-exports the edge. Other
 * packages come from npm's configured registry.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageProblems } from "../../scripts/packages/package-problems.ts";
import type { PackedPackage } from "../../scripts/packages/packed-package.ts";
import { type LocalRegistry, startRegistry } from "../../scripts/packages/local-registry.ts";
import { isLong, sampleSize } from "../fixtures/long.ts";
import { linkProject } from "../fixtures/linked-project.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";
import { type EmbeddedPage, openReadmePage } from "../fixtures/readme-embed.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const ENVIRONMENT = {
  ...process.env,
  NODE_OPTIONS: "",
  WRANGLER_SEND_METRICS: "false",
  CI: "true",
  // Stronger than an .npmrc, because npm hands the settings of a user on to what it runs.
  npm_config_omit_lockfile_registry_resolved: "false",
};

const work = mkdtempSync(join(tmpdir(), "waggle-install-"));
let packages: readonly PackedPackage[] = [];

beforeAll(() => {
  packages = packedPackages();
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const named = (name: string): PackedPackage => {
  const found = packages.find(({ manifest }) => manifest.name === name);
  if (found === undefined) throw new Error(`there is no package ${name}`);
  return found;
};

test("tests, sources and private conditions in a tarball are reported", async () => {
  const { manifest, ...rest } = named("@waggle/evaluation");
  const dirty = { ...rest, manifest, files: [...rest.files, "dist/mean.test.js", "src/mean.ts"] };
  expect(await packageProblems(dirty)).toEqual([
    "dist/mean.test.js must not be in the tarball",
    "src/mean.ts must not be in the tarball",
  ]);
  expect(await packageProblems(named("@waggle/evaluation"))).toEqual([]);
});

test.each(["@vite-ignore", "webpackIgnore: true", "turbopackIgnore: true"])(
  "a computed import() without the comment %s is reported",
  async (comment) => {
    const runtime = named("@waggle/runtime");
    const staged = mkdtempSync(join(work, "runtime-"));
    cpSync(runtime.staged, staged, { recursive: true });
    const path = "dist/backend/page-module.js";
    const code = readFileSync(join(staged, path), "utf8");
    writeFileSync(join(staged, path), code.replace(` /* ${comment} */`, ""));
    expect(await packageProblems({ ...runtime, staged })).toEqual([
      `${path} has an import() of a computed path without /* ${comment} */`,
    ]);
    expect(await packageProblems(runtime)).toEqual([]);
  },
);

test("tarballs have the compiled sources, the license and a manifest for users", () => {
  const { files, staged } = named("@waggle/evaluation");
  expect(files).toEqual(
    expect.arrayContaining(["LICENSE", "README.md", "dist/index.js", "dist/index.d.ts"]),
  );
  const manifest = JSON.parse(readFileSync(join(staged, "package.json"), "utf8")) as object;
  expect(manifest).not.toHaveProperty("devDependencies");
  expect(JSON.stringify(manifest)).not.toContain('"source"');
  expect(named("@waggle/edge").files).toContain("migrations/0001_initial.sql");
  expect(named("@waggle/nano").files).toContain("model.safetensors");
});

describe("a project outside the repository", () => {
  const project = join(work, "own-code");
  const page = readFileSync(join(ROOT, "docs/how-to/your-own-code.md"), "utf8");
  const [reward = "", rows = "", recipe = ""] = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, code = ""]) => code,
  );
  const environmentPage = readFileSync(join(ROOT, "docs/how-to/your-own-environment.md"), "utf8");
  const [, planner = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(environmentPage) ?? [];
  const [, prompts = ""] = /^```jsonl\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const theirs = join(project, "node_modules", "their-package");

  const train = (options: string) => {
    const main = "node_modules/@waggle/cli/dist/main.js";
    const small = "--model node_modules/@waggle/nano --steps 1 --tasks 4 --set tasks=2 --json";
    const line = `${main} train ${small} ${options}`;
    const { status, stdout, stderr } = spawnSync(process.execPath, line.split(" "), {
      cwd: project,
      encoding: "utf8",
      env: ENVIRONMENT,
    });
    const events = stdout.split("\n").flatMap((text) => (text === "" ? [] : [JSON.parse(text)]));
    return { status, stderr, last: events.at(-1) as unknown, events: events as object[] };
  };

  beforeAll(() => {
    linkProject(project, packages);
    writeFileSync(join(project, "reward.ts"), reward);
    writeFileSync(join(project, "rows.ts"), rows);
    writeFileSync(join(project, "recipe.ts"), recipe);
    writeFileSync(join(project, "prompts.jsonl"), prompts);
    writeFileSync(join(project, "planner.ts"), planner);
    mkdirSync(theirs);
    writeFileSync(
      join(theirs, "package.json"),
      JSON.stringify({ name: "their-package", type: "module", exports: "./main.js" }),
    );
    writeFileSync(join(theirs, "main.js"), "export const half = async () => 0.5;\n");
  });

  test("trains its own recipe on its own prompts, judged by its own reward", () => {
    const { status, stderr, events, last } = train(
      "--recipe ./recipe.ts --reward ./reward.ts --dataset ./prompts.jsonl",
    );
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(events.filter((one) => "event" in one && one.event === "step")).toHaveLength(1);
    expect(last).toMatchObject({ recipe: "wide-clip", environment: "data-prompts" });
  });

  test("checks the environment of the guide and trains in it", () => {
    const main = "node_modules/@waggle/cli/dist/main.js";
    const { status, stdout } = spawnSync(
      process.execPath,
      [main, "check", "./planner.ts", "--json"],
      { cwd: project, encoding: "utf8", env: ENVIRONMENT },
    );
    const { checks, ...result } = JSON.parse(stdout) as {
      checks: { check: string; status: string }[];
    };
    // It has one level, and its tasks name no values.
    const others = checks.filter((one) => one.status !== "passed");
    expect(others.map(({ check, status }) => `${check}: ${status}`).toSorted()).toEqual([
      "held out: skipped",
      "levels: skipped",
    ]);
    expect({ status, result }).toEqual({
      status: 0,
      result: { environment: "planner", passed: true },
    });
    const { last, ...run } = train("--recipe grpo --set groupSize=2 --env ./planner.ts");
    expect(run).toMatchObject({ status: 0 });
    expect(last).toMatchObject({ recipe: "grpo", environment: "planner" });
  });

  test("takes rows from a module and a reward from an installed package", () => {
    const { status, stderr, last } = train(
      "--recipe grpo --set groupSize=2 --reward their-package#half --dataset ./rows.ts",
    );
    expect({ status, stderr }).toMatchObject({ status: 0 });
    // Half a point is no success.
    expect(last).toMatchObject({ environment: "data-rows", base: 0, final: 0 });
  });

  const refusals = [
    ["--recipe absent-package", /neither in the catalogue nor a package installed in .*own-code/],
    ["--dataset ./rows.ts --turn-tokens 5000", /leaves no room for a prompt/],
  ] as const;
  test.each(refusals.slice(0, sampleSize(1, 2)))(
    "is told what is wrong with %s",
    (options, message) => {
      const { status, stderr } = train(options);
      expect(status).not.toBe(0);
      expect(stderr).toMatch(message);
      expect(stderr).not.toContain("    at ");
    },
  );
});

describe.runIf(isLong())("installed from a registry into an empty project", () => {
  const project = join(work, "project");
  let registry: LocalRegistry | undefined;
  let embedded: EmbeddedPage | undefined;

  function run(command: string, ...args: readonly string[]) {
    return spawnSync(command, args, { cwd: project, encoding: "utf8", env: ENVIRONMENT });
  }
  const MAIN = join("node_modules", "@waggle", "cli", "dist", "main.js");
  const SMALL = "--set tasks=4 --set groupSize=4 --model node_modules/@waggle/nano";
  const ended = (line: string) => run(process.execPath, MAIN, ...line.split(" "));
  const waggle = (line: string) => {
    const found = ended(line);
    requireSuccess(found);
    return found;
  };

  beforeAll(async () => {
    mkdirSync(project);
    registry = await startRegistry(work);
    writeFileSync(join(project, ".npmrc"), registry.npmrc);
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ name: "project", private: true, type: "module" }),
    );
    for (const { staged } of packages) {
      requireSuccess(run("npm", "publish", staged, "--access", "public", "--loglevel=error"));
    }
    const wanted = ["@waggle/cli", "@waggle/embed", "@waggle/edge"];
    const env = { ...ENVIRONMENT, ONNXRUNTIME_NODE_INSTALL: "skip" };
    const installed = spawnSync("npm", ["install", "--loglevel=error", ...wanted], {
      cwd: project,
      encoding: "utf8",
      env,
    });
    requireSuccess(installed);
  }, 600_000);

  afterAll(async () => {
    await embedded?.close();
    registry?.stop();
  });

  test("contains neither TensorFlow.js nor a second copy of a package", () => {
    const tree = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
      packages: { [path: string]: { resolved?: string } };
    };
    const paths = Object.keys(tree.packages);
    expect(paths.filter((path) => path.includes("@tensorflow/"))).toEqual([]);
    const own = paths.filter((path) => path.includes("@waggle/"));
    expect(own.filter((path) => path.lastIndexOf("node_modules/") > 0)).toEqual([]);
    expect(own.length).toBeGreaterThanOrEqual(12);
    for (const path of own) expect(tree.packages[path]?.resolved).toContain("http://127.0.0.1:");
  });

  test("waggle trains a recipe on the nano model and saves the adapter", () => {
    const { stdout } = waggle(
      `train --recipe grpo --env form --steps 2 --tasks 8 ${SMALL} --out adapter --json`,
    );
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines.filter((line) => "event" in line && line.event === "step")).toHaveLength(2);
    expect(lines.at(-1)).toMatchObject({ recipe: "grpo", environment: "form" });
    expect(existsSync(join(project, "adapter", "adapter_model.safetensors"))).toBe(true);
  });

  test("waggle trains the project's own recipe in an environment with its own base", () => {
    const guide = readFileSync(join(ROOT, "docs/tutorials/write-a-recipe.md"), "utf8");
    const [, recipe = ""] = /^```ts recipe\n([\s\S]*?)^```$/m.exec(guide) ?? [];
    writeFileSync(join(project, "optiagent.ts"), recipe);
    expect(run("npm", "install", "--loglevel=error", "@waggle/learning")).toMatchObject({
      status: 0,
    });
    const { stdout } = waggle(
      `train --recipe ./optiagent.ts --env form --steps 1 --tasks 4 ${SMALL} --json`,
    );
    expect(stdout).toContain('"recipe":"optiagent"');
  });

  test("waggle lists recipes, plans memory, and says where the other commands work", () => {
    expect(waggle("train --list").stdout.split("\n").length).toBeGreaterThan(100);
    expect(waggle("plan").stdout).toMatch(/nano: qwen3, 1\.09 M parameters/);
    const start = ended("start");
    expect([start.status, start.stdout]).toEqual([2, ""]);
    expect(start.stderr).toMatch(/^error: waggle start works only inside a checkout of https:/);
    const reference = ended("simulate --env form --device reference-wasm --steps 1");
    expect(reference.status).toBe(1);
    expect(reference.stderr).toMatch(
      /need TensorFlow\.js, which is not installed; run: npm install/,
    );
  });

  test("a page with the lines of the embed's README answers a visitor", async () => {
    embedded = await openReadmePage(project);
    const panel = embedded.page.locator("waggle-agent");
    await panel.locator(".state[data-state=ready]").waitFor({ timeout: 60_000 });
    await panel.getByRole("textbox").fill("Add the City Jacket to my cart.");
    await panel.getByRole("textbox").press("Enter");
    await panel.getByRole("button", { name: "Good answer" }).waitFor({ timeout: 60_000 });
    const said = await panel.locator("article").innerText();
    expect(said.length).toBeGreaterThan("Assistant: ".length);
    expect(embedded.errors).toEqual([]);
  });

  test("a Worker that re-exports the edge passes a dry run with the README's configuration", () => {
    const readme = readFileSync(join(ROOT, "workers/edge/README.md"), "utf8");
    const block = (kind: string): string =>
      new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(readme)?.[1] ?? "";
    mkdirSync(join(project, "src"));
    writeFileSync(join(project, "src", "worker.ts"), block("ts worker"));
    writeFileSync(join(project, "wrangler.jsonc"), block("jsonc"));
    const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
    const { status, stdout, stderr } = run(process.execPath, wrangler, "deploy", "--dry-run");
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).toContain("env.COORDINATOR (Coordinator)");
  });
});

function requireSuccess({ status, stderr }: { status: number | null; stderr: string }): void {
  if (status !== 0) throw new Error(`exit code ${status}:\n${stderr}`);
}
