/** Builds and serves the pages of the local stack with Vite. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fingerprint, once } from "./fingerprint.ts";
import { type LineSink, NODE, QUIET, runToEnd, whenUp } from "./programs.ts";
import type { Site } from "./site.ts";
import { ManagedProcess, ROOT } from "./stack.ts";

const VITE = join(ROOT, "node_modules", "vite", "bin", "vite.js");

/** A page: an app of this repository, or the practice page of a site. */
export type Page = "demo" | "dashboard" | Site;

/** How Vite builds and serves a page. */
type PageBuild = {
  /** In output. */
  readonly name: string;
  readonly folder: string;
  /** Where the built page is. */
  readonly out: string;
  readonly env: Readonly<Record<string, string>>;
};

function buildOf(page: Page): PageBuild {
  if (typeof page !== "string") {
    const out = join(ROOT, ".waggle", "sites", page.name, "page");
    const folder = join(ROOT, "apps", "practice");
    return { name: page.name, folder, out, env: { WAGGLE_SITE: page.source } };
  }
  const folder = join(ROOT, "apps", page);
  return { name: page, folder, out: join(folder, "dist"), env: {} };
}

const viteArguments = (command: string, { folder, out }: PageBuild): string[] => [
  VITE,
  command,
  folder,
  "--config",
  join(folder, "vite.config.ts"),
  "--outDir",
  out,
  "--logLevel",
  "warn",
];

/** Builds a page. An app is built only if its sources changed; a site's imports are unknown, so it is built each time. */
export async function buildPage(page: Page, onLine?: LineSink): Promise<void> {
  const { name, out, env, ...rest } = buildOf(page);
  const args = [...viteArguments("build", { name, out, env, ...rest }), "--emptyOutDir"];
  const build = () => runToEnd(`build ${name}`, args, { env, onLine });
  if (typeof page !== "string") return build();
  const print = fingerprint([
    `apps/${page}/{src,public}/**/*`,
    `apps/${page}/*.*`,
    "apps/*.ts",
    "packages/*/src/**/*.ts",
  ]);
  const built = existsSync(join(out, "index.html"));
  await once(join(ROOT, ".waggle", `built-${page}`), print + String(built || "missing"), build);
}

/** Options of `startPage`. */
export type PageOptions = {
  readonly port: number;
  readonly edgeUrl: string;
  /** Serve with headers for cross-origin isolation; default true. */
  readonly isolated?: boolean;
  readonly onLine?: LineSink;
};

/** Serves a built page. */
export async function startPage(page: Page, options: PageOptions): Promise<ManagedProcess> {
  const build = buildOf(page);
  const { port, edgeUrl, isolated = true, onLine } = options;
  const served = new ManagedProcess({
    name: build.name,
    command: NODE,
    args: [
      ...viteArguments("preview", build),
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
      "--strictPort",
    ],
    env: {
      ...QUIET,
      ...build.env,
      WAGGLE_EDGE_URL: edgeUrl,
      WAGGLE_ISOLATION: isolated ? "on" : "off",
    },
    ...(onLine ? { onLine: (line: string) => onLine(build.name, line) } : {}),
  });
  return whenUp(served, `http://127.0.0.1:${port}/`);
}
