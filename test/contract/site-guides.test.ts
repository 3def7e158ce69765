/**
 * The changes that the tutorial and the guide of sites make to the template: they compile, and page and practice agree. The
 * tables of the guides list every check and every field of the config.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkEnvironment } from "@waggle/agent/define";
import { checkPage, loadSite } from "@waggle/site/node";
import { expect, onTestFinished, test } from "vitest";
import { isLong } from "../fixtures/long.ts";
import { createProject } from "../../packages/create-waggle/src/project.ts";
import { fieldMistakes } from "../../packages/site/src/node/field-check.ts";
import { ROOT } from "../../scripts/root.ts";

const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");
const TUTORIAL = "docs/tutorials/embed-an-agent.md";
const GUIDE = "docs/how-to/your-own-site.md";

/** The block of a page that is marked `typescript <mark>`: it is a part of a file of the template. */
function block(page: string, mark: string): string {
  const pattern = new RegExp(`^\`\`\`typescript ${mark}\n([\\s\\S]*?)^\`\`\`$`, "m");
  const code = pattern.exec(readFileSync(join(ROOT, page), "utf8"))?.[1];
  if (code === undefined) throw new Error(`${page} has no block marked ${mark}`);
  return code;
}

/** The template in a temporary folder. */
function template(): {
  readonly folder: string;
  readonly change: (file: string, change: (text: string) => string) => void;
} {
  const work = mkdtempSync(join(tmpdir(), "waggle-guides-"));
  onTestFinished(() => rmSync(work, { recursive: true, force: true }));
  const folder = createProject(join(work, "rooms"), "vite");
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const change = (file: string, changed: (text: string) => string): void => {
    const before = readFileSync(join(folder, file), "utf8");
    const after = changed(before);
    expect(after).not.toBe(before);
    writeFileSync(join(folder, file), after);
  };
  return { folder, change };
}

/** What the compiler says about the site; empty if nothing. */
function mistakesOfTypes(folder: string): string {
  execFileSync(COMPILER, ["-b", "packages/site", "packages/embed"], { cwd: ROOT });
  return spawnSync(COMPILER, ["-p", folder], { encoding: "utf8" }).stdout;
}

/** The template with the tool of the tutorial in the page. */
function templateWithTool(): ReturnType<typeof template> {
  const site = template();
  site.change("src/rooms.ts", (text) => text + block(TUTORIAL, "rooms"));
  site.change("src/tools.ts", (text) =>
    text
      .replace("import { FREE_ROOMS,", "import { CANCEL, cancel, FREE_ROOMS,")
      .replace(/^\}\);\n$/m, () => `${block(TUTORIAL, "tools")}});\n`),
  );
  return site;
}

test("without the last step of the tutorial, the site is refused with what is missing", async () => {
  await expect(loadSite(templateWithTool().folder)).rejects.toThrow(
    /environment\.ts:\d+:\d+: the environment has no tool "cancel", which the page has/,
  );
});

test("the tool of the tutorial is in the page, and in practice after its last step", async () => {
  const { folder, change } = templateWithTool();
  change("practice/environment.ts", (text) =>
    text
      .replace("import {\n  DAYS,", "import {\n  CANCEL,\n  cancel,\n  DAYS,")
      .replace(/^ {4}reserve: .*\n/m, (line) => line + block(TUTORIAL, "practice")),
  );
  const site = await loadSite(folder);
  expect(await checkPage(site, AbortSignal.timeout(60_000))).toMatchObject({ status: "passed" });
  const [, , cancel] = site.pageTools;
  const { signal } = new AbortController();
  const reserved = { room: "nook", day: "monday", time: "10:00" };
  expect(await cancel?.run(reserved, { signal })).toBe("canceled");
  await expect(cancel?.run(reserved, { signal })).rejects.toThrow("the nook is not reserved then");
  expect(mistakesOfTypes(folder)).toBe("");
}, 180_000);

// Under `npm test`, check-command.test.ts checks such a retention environment.
test.runIf(isLong())(
  "the retention environment of the guide passes its checks, with three kinds of requests",
  async () => {
    const { folder, change } = template();
    writeFileSync(join(folder, "practice/everyday.ts"), block(GUIDE, "everyday"));
    change("waggle.config.ts", (text) =>
      text.replace(
        /^ {2}environment: .*\n/m,
        (line) =>
          line +
          line
            .replace("environment:", "retentionEnvironment:")
            .replace("environment.", "everyday."),
      ),
    );
    const { environment } = await loadSite(folder);
    const spec = environment?.retention;
    if (spec === undefined) throw new Error("the site has a retention environment");
    const checks: string[] = [];
    for await (const { check, status } of checkEnvironment(spec, { tasks: 5, use: "retention" })) {
      checks.push(`${check}: ${status}`);
    }
    expect(checks).toEqual(
      ["tasks", "schemas", "secrets", "gold", "near misses", "replay"].map(
        (check) => `${check}: passed`,
      ),
    );
    const kinds = Array.from({ length: 100 }, (_, seed) => {
      return spec.task(spec.reference(seed, "heldOut", 0)).kind;
    });
    expect(new Set(kinds)).toEqual(new Set(["greeting", "thanks", "off topic"]));
    expect(mistakesOfTypes(folder)).toBe("");
  },
  180_000,
);

/** The first cells of all tables of a page. */
function firstCells(page: string): readonly string[] {
  const rows = readFileSync(join(ROOT, page), "utf8").matchAll(/^\| (.+?) \|/gm);
  return [...rows].map(([, cell = ""]) => cell);
}

test("the guide lists every check of waggle check", () => {
  const files = globSync(
    [
      "packages/{agent,dev,site}/src/**/*check*.ts",
      "packages/dev/src/runtimes/*.ts",
      "trainer/src/environment-check/*.ts",
    ],
    { cwd: ROOT, exclude: ["**/*.test.ts", "**/*.fixture.ts", "**/node_modules/**"] },
  );
  const source = files.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
  const [, table = ""] = /^const CHECKS: .* = \{\n([\s\S]*?)^\};$/m.exec(source) ?? [];
  const named = [
    ...[...table.matchAll(/^ {2}"?([a-z ]+)"?: /gm)].map(([, name]) => name),
    ...[...source.matchAll(/check: "([^"]+)"|^const CHECK = "([^"]+)"/gm)].map(
      ([, given, constant]) => given ?? constant,
    ),
  ];
  expect(named.length).toBeGreaterThan(15);
  const listed = firstCells("docs/how-to/your-own-environment.md").flatMap((cell) =>
    cell.split(", "),
  );
  expect(named.filter((name) => name !== undefined && !listed.includes(name))).toEqual([]);
});

/** The fields that a message of a wrong definition lists. */
function fieldsIn(definition: object, place: string): readonly string[] {
  const start = `${place} has no field other. The fields are `;
  const message = fieldMistakes(definition).find((one) => one.message.startsWith(start))?.message;
  return message?.slice(start.length).split(", ") ?? [];
}

test("the guide lists every field of waggle.config.ts, and those of its objects", () => {
  const top = fieldsIn({ other: 1 }, "the site");
  expect(top.length).toBeGreaterThan(15);
  const fields = top.flatMap((name) => {
    const inner = fieldsIn({ [name]: { other: 1 } }, name);
    return inner.length === 0 ? [name] : inner.map((one) => `${name}.${one}`);
  });
  const listed = firstCells(GUIDE).flatMap((cell) => {
    let group = "";
    return [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = ""]) => {
      if (name.startsWith(".")) return group + name;
      [group = ""] = name.split(".");
      return name;
    });
  });
  expect(fields.filter((name) => !listed.includes(name))).toEqual([]);
  const isOfConfig = (name: string): boolean =>
    name.includes(".") && top.includes(name.split(".")[0] ?? "");
  expect(listed.filter((name) => isOfConfig(name) && !fields.includes(name))).toEqual([]);
});
