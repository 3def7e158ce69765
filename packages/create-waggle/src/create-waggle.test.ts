import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { TEMPLATES } from "./project.ts";

const work = mkdtempSync(join(tmpdir(), "create-waggle-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

function created(...args: readonly string[]) {
  const main = join(import.meta.dirname, "main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: work,
    encoding: "utf8",
    env: { ...process.env, npm_config_user_agent: "npm/11.0.0 node/v24.0.0" },
  });
  return { status, stdout, stderr };
}

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(work, folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly dependencies: { readonly [name: string]: string };
    readonly devDependencies: { readonly [name: string]: string };
  };

test.each(Object.keys(TEMPLATES))(
  "the template %s is written with its name and versions",
  (name) => {
    const folder = `My ${name}!`;
    const { status, stdout } = created(folder, "--template", name, "--no-install");
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^made My \w+! from the template \w+\nnext:\n {2}cd My/),
    });
    const { name: written, dependencies, devDependencies } = manifestIn(folder);
    expect(written).toBe(`my-${name}`);
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, "../package.json"), "utf8"),
    ) as { version: string };
    const own = Object.entries({ ...dependencies, ...devDependencies }).filter(([each]) =>
      each.startsWith("@waggle/"),
    );
    expect(own.length).toBe(4);
    for (const [, range] of own) expect(range).toBe(`^${version}`);
    const files = readdirSync(join(work, folder));
    expect(files).toEqual(expect.arrayContaining([".gitignore", "README.md", "index.html"]));
    expect(files).not.toContain("_gitignore");
    expect(readdirSync(join(work, folder, "practice"))).toContainEqual(
      expect.stringMatching(/^environment\.test\.[jt]s$/),
    );
    expect(files).not.toContain("node_modules");
  },
);

test.skipIf(process.platform === "win32").each([
  { given: {}, used: "skip" },
  { given: { ONNXRUNTIME_NODE_INSTALL: "v12" }, used: "v12" },
])("the install downloads no CUDA libraries unless the user asks: $used", ({ given, used }) => {
  const programs = join(work, `programs-${used}`);
  mkdirSync(programs);
  const npm = '#!/bin/sh\necho "npm $* in $(basename "$PWD"): $ONNXRUNTIME_NODE_INSTALL"\n';
  writeFileSync(join(programs, "npm"), npm, { mode: 0o755 });
  const { ONNXRUNTIME_NODE_INSTALL: _, ...env } = process.env;
  const main = join(import.meta.dirname, "main.ts");
  const { stdout } = spawnSync(process.execPath, [main, `site-${used}`, "--template", "html"], {
    cwd: work,
    encoding: "utf8",
    env: {
      ...env,
      ...given,
      PATH: `${programs}:${process.env["PATH"] ?? ""}`,
      npm_config_user_agent: "npm/11.0.0 node/v24.0.0",
    },
  });
  expect(stdout).toContain(`npm install in site-${used}: ${used}\n`);
});

test("a folder with files is refused and stays as it is", () => {
  mkdirSync(join(work, "full"));
  for (const name of ["a", "b", "c", "d"]) writeFileSync(join(work, "full", name), "kept");
  const { status, stdout, stderr } = created("full", "--template", "html");
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toBe(
    `${join(work, "full")} is not empty: it has a, b, c and 1 more; name a new folder, nothing was changed\n`,
  );
  expect(readdirSync(join(work, "full"))).toEqual(["a", "b", "c", "d"]);
});

test("a new repository counts as empty, and a file does not", () => {
  mkdirSync(join(work, "repository/.git"), { recursive: true });
  expect(created("repository", "--template", "html", "--no-install").status).toBe(0);
  writeFileSync(join(work, "file"), "");
  expect(created("file", "--template", "html").stderr).toMatch(/file is a file; name a folder/);
});

test("without a terminal, what is missing is an error with the command to write", () => {
  expect(created("site")).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^--template is missing.* -- --template html\|vite\|react, or/),
  });
  expect(created("--template", "html").stderr).toMatch(/^the folder is missing/);
  expect(created("site", "--template", "vue")).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /argument 'vue' is invalid. Allowed choices are html, vite, react/,
    ),
  });
  expect(existsSync(join(work, "site"))).toBe(false);
});

test("--yes takes the defaults", () => {
  expect(created("--yes", "--no-install").stdout).toMatch(/^made my-site from the template vite\n/);
});
