/** The pages of a local installation: builds them and serves them with Vite. */
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { WAGGLE_VERSION } from "@waggle/protocol";
import { withLock } from "../processes/file-lock.ts";
import { fingerprint, once } from "../processes/fingerprint.ts";
import { FROM_SOURCE, NODE_OPTIONS, ownPackage, ownProgram } from "../processes/installed.ts";
import type { ManagedProcess } from "../processes/managed-process.ts";
import { type LineSink, NODE, runToEnd, startProgram, whenUp } from "../processes/programs.ts";
import type { Site } from "../site/site.ts";

/** A page of an installation. */
export type Page = {
  /** In output, and the name of its build. */
  readonly name: string;
  /** Folder with the page's index.html. */
  readonly root: string;
  /** Where the built page is. */
  readonly out: string;
  /** Its project, whose version of Vite builds it. */
  readonly project: string;
  /** The file of the environment that it practices in, with `#name` of the export. */
  readonly practice?: string;
  /** The folder of the site's config, whose consent text the practice page shows. */
  readonly site?: string;
  /** Whether it is a page of this package, which is built again only if its sources have changed. */
  readonly isOurs: boolean;
};

const outOf = (project: string, name: string): string =>
  join(project, ".waggle", "pages", name, "built");

/** The page of a site: its own, or one on which visitors practice in its environment. */
export function sitePage(site: Site): Page {
  const { name, project, page } = site;
  const common = { name, project, out: outOf(project, name) };
  if (page !== undefined) return { ...common, root: page.root, isOurs: page.isOurs };
  return practicePage(site);
}

/** The page on which visitors practice in a site's environment. */
export function practicePage({ name, project, practice, configFile }: Site): Page {
  return {
    name: "practice",
    project,
    root: ownPackage("@waggle/practice"),
    out: outOf(project, `practice-${name}`),
    ...(practice === undefined ? {} : { practice }),
    ...(configFile === undefined ? {} : { site: dirname(configFile) }),
    isOurs: false,
  };
}

/** The page of people in a live run. It knows no environment: its tools run at the site's backend. */
export function livePage({ name, project, configFile }: Site): Page {
  return {
    name: "live",
    project,
    root: join(ownPackage("@waggle/practice"), "live"),
    out: outOf(project, `live-${name}`),
    ...(configFile === undefined ? {} : { site: dirname(configFile) }),
    isOurs: false,
  };
}

/** The page that simulated visitors open: the site's own if they practice in it, else the practice page. */
export function visitorsPage(site: Site): Page {
  return site.page?.hasPractice === true ? sitePage(site) : practicePage(site);
}

/** The operator's dashboard. */
export function dashboardPage(project: string): Page {
  const root = ownPackage("@waggle/dashboard");
  return { name: "dashboard", project, root, out: outOf(project, "dashboard"), isOurs: true };
}

const argumentsOf = (mode: string, { root, out, project }: Page): string[] => [
  ...NODE_OPTIONS,
  ownProgram("pages/page-process"),
  mode,
  "--root",
  root,
  "--out",
  out,
  "--project",
  project,
];

const variablesOf = ({ practice, site }: Page): { [name: string]: string } => ({
  ...(practice === undefined ? {} : { WAGGLE_PRACTICE: practice }),
  ...(site === undefined ? {} : { WAGGLE_PRACTICE_SITE: site }),
});

/**
 * Builds a page. A site's imports are unknown, so its page is built each time.
 * A build empties the folder that it writes to, so two processes build the same page one after the other.
 *
 * @param onStart - called if there is something to build
 */
export function buildPage(page: Page, onLine?: LineSink, onStart?: () => void): Promise<void> {
  return withLock(`${page.out}.lock`, () => buildIfNeeded(page, onLine, onStart));
}

async function buildIfNeeded(page: Page, onLine?: LineSink, onStart?: () => void): Promise<void> {
  const { name, root, out } = page;
  const build = (): Promise<void> => {
    onStart?.();
    const env = variablesOf(page);
    return runToEnd(`build ${name}`, argumentsOf("build", page), { env, onLine });
  };
  if (!page.isOurs) return build();
  const print = FROM_SOURCE
    ? fingerprint(root, [
        "{src,public}/**/*",
        "*.*",
        "../../packages/*/src/**/*.ts",
        "../practice/src/**/*",
      ])
    : WAGGLE_VERSION;
  const marker = `${out}.txt`;
  if (!existsSync(join(out, "index.html"))) rmSync(marker, { force: true });
  await once(marker, print, build);
}

/** Options of `startPage`. */
export type PageOptions = {
  readonly port: number;
  readonly edgeUrl: string;
  /** Serve with headers for cross-origin isolation; default true. */
  readonly isolated?: boolean;
  /** Serve the sources, and reload the page if they change; default: serve the built page. */
  readonly reloads?: boolean;
  readonly siteKey?: string;
  /** Public key of the publisher, whose signatures the page then requires. */
  readonly publisherKey?: string | undefined;
  readonly onLine?: LineSink;
};

/** Serves a page. */
export async function startPage(page: Page, options: PageOptions): Promise<ManagedProcess> {
  const {
    port,
    edgeUrl,
    siteKey,
    publisherKey = "",
    isolated = true,
    reloads = false,
    onLine,
  } = options;
  const served = startProgram({
    name: page.name,
    command: NODE,
    args: [...argumentsOf(reloads ? "dev" : "preview", page), "--port", String(port)],
    cwd: page.project,
    env: {
      ...variablesOf(page),
      WAGGLE_EDGE_URL: edgeUrl,
      ...(siteKey === undefined ? {} : { WAGGLE_SITE_KEY: siteKey }),
      WAGGLE_PUBLISHER_KEYS: publisherKey,
      WAGGLE_ISOLATION: isolated ? "on" : "off",
    },
    onLine,
  });
  return whenUp(served, `http://127.0.0.1:${port}/`);
}
