/**
 * Finds unused public names. A name is used if another package or program, a recipe, a code snippet of the docs or
 * an example project imports it. A public type is also used if such a name takes or returns it. Imports by tests do
 * not count, except of `@waggle/testing`, which is made for tests. Wrangler uses the Worker's entry and classes.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { isTestFile, typeScriptFiles } from "./source-files.ts";
import { Modules, type Origin, Reach } from "./symbols.ts";

const PAGES = ["README.md", "{packages/*,workers/*,trainer}/README.md", "docs/**/*.md"];
const GENERATED = ["**/node_modules/**", "docs/reference/api/**"];
const FOR_TESTS = "@waggle/testing";
/** What `waggle assets` bundles into `waggle.js`. Pages import its names from there. */
const SCRIPT_TAG = "@waggle/embed/script-tag";
const WORKER = "@waggle/edge";
/** Packages outside of the folder `packages`. */
const FOLDERS: { readonly [name: string]: string } = {
  "@waggle/trainer": "trainer/",
  [WORKER]: "workers/edge/",
};

/** The public names of all packages, and their uses. */
export class PublicNames {
  readonly #modules = new Modules(ROOT);
  readonly #files = typeScriptFiles();
  readonly #snippets: readonly string[];

  constructor() {
    const pages = globSync(PAGES, { cwd: ROOT, exclude: GENERATED });
    this.#snippets = pages.flatMap((page) => {
      const text = readFileSync(join(ROOT, page), "utf8");
      return [...text.matchAll(/```(tsx?)\b.*\n([\s\S]*?)```/g)].map(
        ({ 1: ending, 2: code = "", index }) => {
          const name = `${page}@${index}.${ending}`;
          this.#modules.addText(name, code);
          return name;
        },
      );
    });
  }

  get packages(): string[] {
    return [...new Set([...this.#modules.entries.keys()].map(packageOf))];
  }

  /** Names that the entries of a package export, with the files that declare them. */
  of(name: string): ReadonlyMap<string, Origin> {
    const names = new Map<string, Origin>();
    for (const [entry, file] of this.#modules.entries) {
      if (packageOf(entry) !== name || entry === SCRIPT_TAG || !file.endsWith(".ts")) continue;
      for (const one of this.#modules.exportsOf(file)) {
        names.set(one, this.#modules.originOf(file, one));
      }
    }
    return names;
  }

  /** Unused public names of a package. */
  unused(name: string): string[] {
    const reach = new Reach(this.#modules);
    const direct = new Set<string>();
    for (const user of this.#usersOf(name)) {
      for (const origin of this.#modules.importsOf(user)) {
        direct.add(`${origin.file} > ${origin.name}`);
        reach.add(origin);
      }
    }
    return [...this.of(name)]
      .filter(([, origin]) => !direct.has(`${origin.file} > ${origin.name}`))
      .filter(([, origin]) => !(this.#modules.isType(origin) && reach.has(origin)))
      .filter(([one]) => name !== WORKER || !isUsedByWrangler(one))
      .map(([one]) => one)
      .toSorted();
  }

  /** Files whose imports count as uses of the package's names. */
  #usersOf(name: string): string[] {
    const folder = FOLDERS[name] ?? `packages/${name.split("/")[1]}/`;
    const others = this.#files.filter((file) => !file.startsWith(folder));
    const users = name === FOR_TESTS ? others : others.filter((file) => !isTestFile(file));
    const recipes = this.#files.filter(
      (file) => file.startsWith(`${folder}src/recipes/`) && !isTestFile(file),
    );
    return [...users, ...recipes, ...this.#snippets];
  }
}

/** Wrangler runs the default export and creates the classes that its configuration names. */
function isUsedByWrangler(name: string): boolean {
  const config = readFileSync(join(ROOT, "workers/edge/wrangler.jsonc"), "utf8");
  return name === "default" || config.includes(`"class_name": "${name}"`);
}

function packageOf(specifier: string): string {
  return specifier.split("/").slice(0, 2).join("/");
}
