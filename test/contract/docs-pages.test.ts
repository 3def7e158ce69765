/** Rules for every page of the documentation: valid links, a README of one screen, evidence that opens with its answer. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const exclude = ["**/node_modules/**", "docs/reference/api/**"];
const pages = globSync(["*.md", "docs/**/*.md", "{packages,apps,workers}/*/README.md"], {
  cwd: ROOT,
  exclude,
});
const text = (file: string) => readFileSync(join(ROOT, file), "utf8");
const withoutCode = (page: string) => page.replace(/^```[\s\S]*?^```$/gm, "");

/** The anchor that GitHub and VitePress give a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

const anchorsOf = (file: string) =>
  [...withoutCode(text(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

/** Broken links from a page to files of the repository. */
function deadLinks(page: string): string[] {
  const links = withoutCode(text(page)).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g);
  return [...links].flatMap(([, inText, inTag]) => {
    const link = inText ?? inTag ?? "";
    if (/^[a-z]+:/.test(link)) return [];
    const [path = "", anchor] = link.split("#");
    const file = path === "" ? page : normalize(join(dirname(page), path));
    // The site contains only the pages of docs.
    if (page.startsWith("docs/") && !file.startsWith("docs/")) return [`${page}: ${link}`];
    if (!existsSync(join(ROOT, file))) return [`${page}: ${link}`];
    const isThere = anchor === undefined || anchorsOf(file).includes(anchor);
    return isThere ? [] : [`${page}: ${link}`];
  });
}

test("every link between files leads to a file and a heading", () => {
  expect(pages.length).toBeGreaterThan(100);
  expect(pages.flatMap(deadLinks)).toEqual([]);
});

/** Files of the repository that a page names in its text. */
const namedFiles = (page: string) =>
  [
    ...text(page).matchAll(
      /(?<![\w./-])(?:packages|trainer|test|workers|scripts|apps)\/[\w./-]*[\w-]/g,
    ),
  ].map(([file]) => file);

test("every file that a page names exists", () => {
  const missing = pages.flatMap((page) =>
    namedFiles(page)
      .filter((file) => !existsSync(join(ROOT, file)))
      .map((file) => `${page}: ${file}`),
  );
  expect(missing).toEqual([]);
});

test("the guide embeds the agent with the lines of the README", () => {
  const [, lines = "no lines"] = /```html\n([\s\S]*?)```/.exec(text("README.md")) ?? [];
  expect(text("docs/how-to/add-to-a-page.md")).toContain(lines);
});

test("the README is one screen: at most 900 words", () => {
  expect(text("README.md").split(/\s+/).length).toBeLessThanOrEqual(900);
});

test("decision records are numbered, dated and in the index", () => {
  const folder = "docs/decisions";
  const records = globSync(`${folder}/0*.md`, { cwd: ROOT }).toSorted();
  const index = text(`${folder}/README.md`);
  for (const [at, file] of records.entries()) {
    const record = text(file);
    const name = file.slice(folder.length + 1);
    expect(name).toMatch(new RegExp(`^${String(at + 1).padStart(4, "0")}-`));
    expect(record).toMatch(new RegExp(`^# ${at + 1}\\. `));
    expect(record).toMatch(/^Decided on \d{4}-\d\d-\d\d\.$/m);
    expect([...record.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      "Context",
      "Decision",
      "Consequence",
    ]);
    expect(index).toContain(`(${name})`);
  }
});

test("the reference of parts names every exported part", () => {
  const source = text("packages/learning/src/parts.ts").replace(/\/\*[\s\S]*?\*\//g, "");
  const parts = [...source.matchAll(/export \{([^}]*)\}/g)].flatMap(([, names = ""]) =>
    names.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])),
  );
  expect(parts.length).toBeGreaterThan(150);
  const page = text("docs/reference/parts.md");
  expect(parts.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});

/** Rows of each table before the first appendix section. */
function tableRows(page: string): number[] {
  const [main = ""] = text(page).split(/^## Appendix/m);
  return [...main.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table.trim().split("\n").length - 2);
}

test("a page of evidence opens with its answer and has tables of at most ten rows", () => {
  const answered = globSync("docs/evidence/{*,studies/*,learning/*}.md", { cwd: ROOT }).filter(
    (page) => !/README\.md$|learning\/appendix\.md$/.test(page),
  );
  expect(answered.length).toBeGreaterThan(80);
  const silent = answered.filter((page) => !/^# .+\n\n\*\*/.test(text(page)));
  expect(silent).toEqual([]);
  expect(answered.filter((page) => tableRows(page).some((rows) => rows > 10))).toEqual([]);
});
