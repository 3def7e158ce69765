/** The documentation as a site. GitHub renders the same pages: in both, `README.md` is the index of its folder. */
import { cpSync, existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";

const DOCS = join(import.meta.dirname, "..");

// Links to these files get no `.html`. The files are copied at the end of a build.
process.env["VITE_EXTRA_EXTENSIONS"] = "jsonl,yaml";

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

type Entry = { text: string; link: string };

const entry = (text: string, link: string): Entry => ({ text, link });
const folder = (title: string, items: readonly Entry[], collapsed = true) => ({
  text: title,
  collapsed,
  items: [...items],
});

/** The first heading of a page. */
function titleOf(file: string): string {
  const [, title = ""] = /^# (.+)$/m.exec(readFileSync(file, "utf8")) ?? [];
  return title.replaceAll("`", "");
}

/** Pages of a folder in the order of their file names, under their titles. */
function pagesOf(path: string): Entry[] {
  const at = join(DOCS, path);
  return readdirSync(at)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .toSorted()
    .map((file) => entry(titleOf(join(at, file)), `/${path}/${file.slice(0, -3)}`));
}

/** Keeps a number and its unit on one line, and an arrow with the number after it. */
const withUnit = (text: string): string =>
  text
    .replace(/(\d) (?=(?:%|×|M|B|ms|s|MB|GB|KB|kB|MiB|GiB|nats)(?![\w-]))/g, "$1\u00a0")
    .replace(/→ (?=\d|$)/g, "→\u00a0");

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath d='M16 2 28 9v14l-12 7L4 23V9z' fill='%23e0a021'/%3E%3C/svg%3E";

export default defineConfig({
  title: "Waggle",
  description: "Agents that live in web pages and get better with practice.",
  head: [["link", { rel: "icon", href: ICON }]],
  srcExclude: ["**/node_modules/**"],
  rewrites: { "README.md": "index.md", ":path(.*)/README.md": ":path/index.md" },
  // The search index contains the whole API.
  vite: { build: { chunkSizeWarningLimit: 8000 } },
  markdown: {
    anchor: { slugify: anchorOf },
    config: (md) => {
      md.core.ruler.push("numbers-keep-units", ({ tokens }) => {
        for (const { children } of tokens)
          for (const token of children ?? [])
            if (token.type === "text") token.content = withUnit(token.content);
      });
      md.core.ruler.push("readme-is-index", ({ tokens }) => {
        for (const { children } of tokens)
          for (const token of children ?? []) {
            const href = token.attrGet("href");
            if (token.type === "link_open" && href !== null && !/^[a-z]+:/.test(href))
              token.attrSet("href", href.replace(/(^|\/)README\.md(?=#|$)/, "$1index.md"));
          }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      entry("Start", "/start"),
      entry("Concepts", "/concepts/"),
      entry("Tutorials", "/tutorials/"),
      entry("How-to", "/how-to/"),
      entry("Reference", "/reference/"),
      entry("Evidence", "/evidence/"),
      entry("Decisions", "/decisions/"),
    ],
    sidebar: [
      entry("Start", "/start"),
      folder(
        "Concepts",
        [
          entry("Environment", "/concepts/environment"),
          entry("Trajectory", "/concepts/trajectory"),
          entry("Group", "/concepts/group"),
          entry("Recipe", "/concepts/recipe"),
          entry("Policy version", "/concepts/policy-version"),
        ],
        false,
      ),
      folder(
        "Tutorials",
        [
          entry("Make and deploy a site", "/tutorials/embed-an-agent"),
          entry("Train a recipe", "/tutorials/train-a-recipe"),
          entry("Write a recipe", "/tutorials/write-a-recipe"),
        ],
        false,
      ),
      folder("How-to", [
        entry("Add the assistant to a page", "/how-to/add-to-a-page"),
        entry("Make your own site", "/how-to/your-own-site"),
        entry("Write your own environment", "/how-to/your-own-environment"),
        entry("Deploy", "/how-to/deploy"),
        entry("Operate", "/how-to/operate"),
        entry("Serve several sites", "/how-to/sites"),
        entry("Protect personal data", "/how-to/privacy"),
        entry("Report outcomes", "/how-to/outcomes"),
        entry("Learn from feedback", "/how-to/learn-from-feedback"),
        entry("Release to a growing share", "/how-to/releases"),
        entry("Run models", "/how-to/runtime"),
        entry("Keep and watch a run", "/how-to/runs"),
        entry("Train with your own code", "/how-to/your-own-code"),
        entry("Sample on an inference server", "/how-to/sampler"),
        entry("Roll out while learning", "/how-to/asynchrony"),
        entry("Save models", "/how-to/models-out"),
        entry("Exchange data", "/how-to/exchange"),
        entry("Train on a remote server", "/how-to/remote-engine"),
        entry("Test", "/how-to/test"),
      ]),
      folder("Reference", [
        entry("Words", "/reference/words"),
        entry("Commands", "/reference/commands"),
        entry("Parts", "/reference/parts"),
        entry("Edge settings", "/reference/edge-settings"),
        entry("MCP", "/reference/mcp"),
      ]),
      folder("API", apiEntries()),
      folder("Evidence", pagesOf("evidence")),
      folder("Evidence: studies", pagesOf("evidence/studies")),
      folder("Evidence: recipes", pagesOf("evidence/learning")),
      folder("Evidence: appendix", pagesOf("evidence/appendix")),
      entry("Design", "/design"),
      folder("Decisions", pagesOf("decisions")),
    ],
  },
  buildEnd: ({ outDir }) => {
    for (const file of globSync("{evidence,how-to}/**/*.{json,jsonl,yaml}", { cwd: DOCS }))
      cpSync(join(DOCS, file), join(outDir, file));
  },
});

/** The generated API pages, one for each entry of a package. */
function apiEntries(): Entry[] {
  const at = join(DOCS, "reference/api");
  if (!existsSync(at)) return [];
  return globSync("@waggle/**/*.md", { cwd: at })
    .map((file) => file.replace(/\.md$/, ""))
    .toSorted()
    .map((name) =>
      entry(name.replace(/\/README$/, ""), `/reference/api/${name.replace(/README$/, "")}`),
    );
}
