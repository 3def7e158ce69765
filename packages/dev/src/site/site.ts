/** A site: what it practices in, its page and its model. */
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ENVIRONMENTS, type EnvironmentSpec } from "@waggle/environments";
import { type SiteSettings, WaggleError } from "@waggle/protocol";
import {
  edgeVariables,
  loadSite,
  modulesOf,
  readSiteConfig,
  siteConfigIn,
  siteSettings,
  trainerArguments,
} from "@waggle/site/node";
import {
  baseText,
  chosenBase,
  type ChosenBase,
  environmentFrom,
  moduleSource,
  resolvedFile,
  siteBase,
} from "@waggle/trainer";

/** A loaded site. */
export type Site = {
  /** In output. */
  readonly name: string;
  /** Folder whose `.waggle` has the state, the base and the built pages. */
  readonly project: string;
  /** Whether the project has this site only, so that its state folder needs no name. */
  readonly isWholeProject: boolean;
  /** The practice environment. `null`: without a practice page and a base. It may learn from feedback all the same. */
  readonly environment: EnvironmentSpec | null;
  /** What the trainer's commands take as `--env`; absent if the environment is built in. */
  readonly source?: string;
  /** The environment's file, with `#name` of the export, which the practice page imports; absent if it is built in. */
  readonly practice?: string;
  /**
   * Its own page, a project of Vite; absent: the practice page. `isOurs`: it changes only with this repository.
   * `hasPractice`: simulated visitors practice in it, and not on the practice page.
   */
  readonly page?: {
    readonly root: string;
    readonly isOurs: boolean;
    readonly hasPractice: boolean;
  };
  /** Its model folder; absent: the base that is made from its demonstrations. */
  readonly model?: string;
  /** How its base is made, where that is not the default. */
  readonly base?: ChosenBase;
  readonly edgeVariables?: Readonly<Record<string, string>>;
  /** Settings at a deployed edge. */
  readonly settings: SiteSettings;
  /** Address of its deployed edge, if its config names one. */
  readonly edgeUrl?: string;
  /** Display name; default: `name`. */
  readonly title?: string;
  /** Path of `waggle.config.ts`; absent for a site without one. */
  readonly configFile?: string;
  /** Absolute path of the module with its edge tools; absent if it has none. */
  readonly edgeTools?: string;
  /** Names of its tools, by where they run. */
  readonly toolNames?: { readonly page: readonly string[]; readonly edge: readonly string[] };
  /** Options of `train-edge`. */
  readonly trainerArguments?: readonly string[];
  /** Reads them again from the config, which may have changed. */
  readonly readTrainerArguments?: () => Promise<readonly string[]>;
  /** The files that its trainer reads, as they import each other now; absent if the environment is built in. */
  readonly modules?: () => readonly string[];
};

/** A site that practices. */
export type PracticedSite = Site & { readonly environment: EnvironmentSpec };

/** How to give a site an environment. */
const ADD_ENVIRONMENT =
  "add environment: () => import('./practice/environment.ts') to waggle.config.ts";

/**
 * @param command - what needs the environment, such as `waggle loop`.
 * @throws WaggleError `INVALID_ARGUMENT` for a site without one.
 */
export function requireEnvironment(site: Site, command: string): PracticedSite {
  const { name, environment } = site;
  if (environment !== null) return { ...site, environment };
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `error: ${command} needs tasks to practice, and the site ${name} has no environment; ${ADD_ENVIRONMENT}`,
  );
}

/**
 * What a site learns from. `release`: from what visitors of a site without an environment say, and those of a release or a
 * judge decide about a version. `undecided`: the same, but nothing could decide. `nothing`: it only answers.
 */
type SiteLearning = "tasks" | "release" | "undecided" | "nothing";

/** What this site's trainer would learn from. */
export function learningOf({
  environment,
  settings,
  trainerArguments = [],
}: Pick<Site, "environment" | "settings" | "trainerArguments">): SiteLearning {
  if (environment !== null) return "tasks";
  if (settings.feedbackFrom === undefined) return "nothing";
  const isCompared = trainerArguments.includes("--compare-requests");
  return settings.gateRelease != null || isCompared ? "release" : "undecided";
}

/** Why nothing learns on a site, and what to change. */
export function notLearningText(learning: "undecided" | "nothing"): string {
  return learning === "nothing"
    ? `the model answers and does not learn; to change that, ${ADD_ENVIRONMENT}, or let it learn from visitors' feedback (training.recipe, training.feedbackWaitSeconds and gate.release)`
    : `nothing could decide about a version that learned from feedback, so the model does not learn; to change that, set gate.release or training.judge.comparisons, or ${ADD_ENVIRONMENT}`;
}

/**
 * The site's own model.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if it names none and none can be made.
 */
export function namedModel({ name, environment, model }: Site): string | null {
  if (model !== undefined) return model;
  if (environment !== null) return null;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `error: the site ${name} has no model, and no environment to make one from; write the folder of a model, such as model: "./model", into waggle.config.ts (waggle model gets one), or ${ADD_ENVIRONMENT}`,
  );
}

/**
 * Loads a site from a folder with `waggle.config.ts`, or from a file or package that exports an environment.
 *
 * @throws WaggleError `NOT_FOUND`, `INVALID_ARGUMENT` naming the source and what to write instead.
 */
export async function siteFrom(source: string, folder: string = process.cwd()): Promise<Site> {
  if (ENVIRONMENTS.some(({ name }) => name === source)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `--site takes the file or package of a site, and ${source} is a built-in environment; pass a file such as ./my-site.ts`,
    );
  }
  const path = resolve(folder, source);
  if (siteConfigIn(path) !== null || source === ".") return siteIn(path);
  const { module, exportName } = moduleSource(source);
  // First, because its error names no built-in environments.
  const file = resolvedFile("--site", module, folder);
  const environment = await environmentFrom(source, folder, "--site");
  return {
    name: environment.name,
    project: folder,
    isWholeProject: false,
    source: `${file}#${exportName}`,
    practice: `${file}#${exportName}`,
    modules: () => modulesOf(file),
    environment,
    settings: { taskEnvironment: environment.name },
  };
}

/** The site of a folder with a config. */
async function siteIn(path: string): Promise<Site> {
  const loaded = await loadSite(path);
  const { folder, configFile, definition, files } = loaded;
  const practice =
    files.environment === null
      ? { environment: null }
      : {
          environment: await environmentFrom(folder, folder, "--site"),
          source: folder,
          practice: `${files.environment}#default`,
        };
  const { id, model, base, edge } = definition;
  return {
    name: id,
    project: folder,
    isWholeProject: true,
    ...practice,
    ...(existsSync(join(folder, "index.html"))
      ? { page: { root: folder, isOurs: false, hasPractice: false } }
      : {}),
    ...(model === undefined ? {} : { model: resolve(folder, model) }),
    ...(base === undefined ? {} : { base: siteBase(folder, base) }),
    edgeVariables: edgeVariables(loaded),
    settings: siteSettings(loaded),
    ...(edge?.url === undefined ? {} : { edgeUrl: edge.url }),
    title: definition.name,
    configFile,
    ...(files.edgeTools === null ? {} : { edgeTools: files.edgeTools }),
    toolNames: {
      page: loaded.pageTools.map((tool) => tool.name),
      edge: loaded.edgeTools.map((tool) => tool.definition.name),
    },
    trainerArguments: trainerArguments(loaded),
    readTrainerArguments: async () => {
      const { definition: current } = await readSiteConfig(folder);
      return trainerArguments({ folder, definition: current });
    },
    modules: () => modulesOf(configFile),
  };
}

/** Folder for the state of a site: different sites and base models cannot share a database. */
export function stateFolder(site: Site, use: string, model?: string): string {
  const { name, project, isWholeProject } = site;
  const parts = [use, isWholeProject ? undefined : name, model && basename(model)];
  return join(project, ".waggle", parts.filter((part) => part !== undefined).join("-"));
}

/** Folder of the base model that is made for a site whose definition names no model. */
export function baseFolder({ environment, project }: PracticedSite): string {
  return join(project, ".waggle", "bases", environment.name);
}

/**
 * The folder of the site's model. Makes its base if there is none for these demonstrations, which takes some minutes. An
 * interrupted run goes on with it.
 *
 * @param beforeMaking - as in `BaseRun`
 * @throws WaggleError if the site has no model and no environment, or the environment no demonstrations.
 */
export async function siteModel(
  site: Site,
  say: (line: string) => void,
  signal: AbortSignal,
  beforeMaking?: (replaced: string | null) => Promise<void>,
): Promise<string> {
  const model = namedModel(site);
  if (model !== null) return model;
  const practiced = requireEnvironment(site, "a base model");
  const { name, environment, base } = practiced;
  const folder = baseFolder(practiced);
  const isNew = !existsSync(folder);
  say(
    isNew
      ? `making the base model of ${name} from its demonstrator, once; this takes some minutes …`
      : `checking that the base model of ${name} fits its tasks …`,
  );
  await chosenBase(environment, folder, base ?? {}, {
    onProgress: (progress) => say(baseText(name, progress)),
    beforeMaking: async (replaced) => {
      await beforeMaking?.(replaced);
      if (isNew) return;
      say(`its tasks, tools or settings have changed; making it again takes some minutes …`);
    },
    signal,
  });
  return folder;
}
