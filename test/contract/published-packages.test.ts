/** Common fields of all package.json files: version, minimum Node and repository. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { WAGGLE_VERSION } from "@waggle/protocol";
import { expect, test } from "vitest";
import { publicPackages } from "../../scripts/packages/public-packages.ts";

const ROOT = join(import.meta.dirname, "../..");

type Json = { readonly [field: string]: unknown };

const all = globSync(
  "{package.json,{packages/*,packages/model/{default,nano},workers/*,apps/*,trainer,docs}/package.json}",
  {
    cwd: ROOT,
  },
).map((path) => ({ path, manifest: JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Json }));

test("every package has the same version as the code and depends on the others at it", () => {
  expect(all.length).toBeGreaterThan(18);
  for (const { path, manifest } of all) {
    expect([path, manifest["version"]]).toEqual([path, WAGGLE_VERSION]);
    const asked = [manifest["dependencies"], manifest["devDependencies"]].flatMap((group) =>
      Object.entries((group ?? {}) as { [name: string]: string }),
    );
    const own = asked.filter(([name]) => name.startsWith("@waggle/"));
    expect([path, own]).toEqual([path, own.map(([name]) => [name, WAGGLE_VERSION])]);
  }
});

test("only version.ts spells out the version", () => {
  const found = execFileSync("git", ["grep", "-lF", `"${WAGGLE_VERSION}"`, "--", "*.ts", "*.mjs"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const sources = found
    .trim()
    .split("\n")
    // Tests contain records of the past; so does the test support of the edge.
    .filter((path) => !/\.(test|fixture)\.ts$|\/testing\//.test(path));
  expect(sources).toEqual(["packages/protocol/src/version.ts"]);
});

test("every package needs the same Node version as the waggle command", () => {
  expect(new Set(all.map(({ manifest }) => JSON.stringify(manifest["engines"])))).toEqual(
    new Set(['{"node":">=22"}']),
  );
  const entry = readFileSync(join(ROOT, "packages/cli/src/main.ts"), "utf8");
  expect(entry).toMatch(/^const OLDEST = 22;$/m);
});

test("every published package has a description and its repository", () => {
  for (const { folder, manifest } of publicPackages()) {
    const { description, keywords, repository, homepage, license } = manifest as unknown as Json;
    const directory = relative(ROOT, folder);
    expect(description).toMatch(/\.$/);
    expect((keywords as string[]).length).toBeGreaterThanOrEqual(4);
    expect(license).toBe("MIT");
    const url = "https://github.com/waggle-agents/waggle";
    expect(repository).toEqual({ type: "git", url: `git+${url}.git`, directory });
    expect(homepage).toBe(`${url}/tree/main/${directory}#readme`);
  }
});

test("packages are published after their dependencies, and none depends on a private one", () => {
  const seen = new Set<string>();
  for (const { manifest } of publicPackages()) {
    const needed = Object.keys(manifest.dependencies ?? {}).filter((name) =>
      name.startsWith("@waggle/"),
    );
    expect(needed.filter((name) => !seen.has(name))).toEqual([]);
    seen.add(manifest.name);
  }
  expect([...seen]).toContain("@waggle/cli");
});
