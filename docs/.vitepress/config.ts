/** The documentation as a site. Pages stay what GitHub renders too: `README.md` is a folder's page in both. */
import { cpSync, existsSync, globSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";

const DOCS = join(import.meta.dirname, "..");

// Endings of files, not of pages: VitePress would add `.html`. The files are copied at the end of a build.
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

/** Pages of a folder in alphabetical order, under the names of their files. */
function pagesOf(path: string, name: (file: string) => string = (file) => file): Entry[] {
  const at = join(DOCS, path);
  if (!existsSync(at)) return [];
  return readdirSync(at)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .toSorted()
    .map((file) => entry(name(file.slice(0, -3)), `/${path}/${file.slice(0, -3)}`));
}

/** `0007-source-export-condition` → `7 source export condition`. */
const decisionName = (file: string): string =>
  `${Number(file.slice(0, 4))} ${file.slice(5).replaceAll("-", " ")}`;

export default defineConfig({
  title: "Waggle",
  description: "Agents that live in web pages and get better with practice.",
  srcExclude: ["**/node_modules/**"],
  rewrites: { "README.md": "index.md", ":path(.*)/README.md": ":path/index.md" },
  // The search index holds the whole API.
  vite: { build: { chunkSizeWarningLimit: 8000 } },
  markdown: {
    anchor: { slugify: anchorOf },
    config: (md) => {
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
          entry("Embed an agent", "/tutorials/embed-an-agent"),
          entry("Train a recipe", "/tutorials/train-a-recipe"),
          entry("Write a recipe", "/tutorials/write-a-recipe"),
        ],
        false,
      ),
      folder("How-to", [
        entry("Run models", "/how-to/runtime"),
        entry("Train with your own code", "/how-to/your-own-code"),
        entry("Roll out while learning", "/how-to/asynchrony"),
        entry("Save models", "/how-to/models-out"),
        entry("Exchange data", "/how-to/exchange"),
        entry("Train on a remote server", "/how-to/remote-engine"),
        entry("Deploy", "/how-to/deploy"),
        entry("Operate", "/how-to/operate"),
        entry("Test", "/how-to/test"),
      ]),
      folder("Reference", [
        entry("Words", "/reference/words"),
        entry("Commands", "/reference/commands"),
        entry("Parts", "/reference/parts"),
        entry("Edge settings", "/reference/edge-settings"),
      ]),
      folder("API", apiEntries()),
      folder("Evidence", pagesOf("evidence")),
      folder("Evidence: studies", pagesOf("evidence/studies")),
      folder("Evidence: recipes", pagesOf("evidence/learning")),
      folder("Evidence: appendix", pagesOf("evidence/appendix")),
      entry("Design", "/design"),
      folder("Decisions", pagesOf("decisions", decisionName)),
    ],
  },
  buildEnd: ({ outDir }) => {
    for (const file of globSync("{evidence,how-to}/**/*.{json,jsonl,yaml}", { cwd: DOCS }))
      cpSync(join(DOCS, file), join(outDir, file));
  },
});

/** The generated pages of the API, by package and entry. */
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
