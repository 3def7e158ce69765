/** Loads a site with all of its modules and refuses it with file and line if anything in it is wrong. */
import { dirname, resolve } from "node:path";
import { existsSync } from "node:fs";
import type { PageTool } from "@waggle/agent/tools";
import { type EnvironmentSpec, type RewardFunction, withReward } from "@waggle/environments";
import { type FirstObservation, isObject, type JsonSchema, type Tool } from "@waggle/protocol";
import type { SiteDefinition } from "../site-definition.ts";
import { readSiteConfig, type SiteConfig } from "./config-file.ts";
import { requireFittingBase } from "./base-check.ts";
import { requireConsentText } from "./consent-check.ts";
import { requireFittingMetrics } from "./feedback-check.ts";
import { requireFittingJudge } from "./judge-check.ts";
import { requireFittingRecipe } from "./recipe-check.ts";
import { importText } from "./source-file.ts";
import { siteModule, type SiteModule } from "./site-module.ts";
import { requireToolLanguages } from "./tool-language-check.ts";
import { edgeToolsOf, pageToolsOf, requireSameTools, toolsInPage, WRITE } from "./tool-check.ts";

/** A site that has been checked. */
export type LoadedSite = {
  /** Absolute path of the folder with the config. */
  readonly folder: string;
  readonly configFile: string;
  readonly definition: SiteDefinition;
  readonly pageTools: readonly PageTool<JsonSchema>[];
  readonly edgeTools: readonly Tool[];
  /** Begins the page with the state of a practice task: the export `start` of the module of page tools. */
  readonly start: ((state: unknown) => unknown) | null;
  /** The environment with the site's reward and its retention environment; `null` if the site has none. */
  readonly environment: EnvironmentSpec | null;
  /** Absolute paths of its modules. */
  readonly files: {
    readonly tools: string | null;
    readonly edgeTools: string | null;
    readonly environment: string | null;
    readonly retentionEnvironment: string | null;
    readonly reward: string | null;
  };
};

type LoadSiteOptions = {
  /**
   * Whether to load a site whose first task cannot be drawn, for a caller that reports this. Its tools are then not
   * compared with the environment's. Default false.
   */
  readonly mayFailToDraw?: boolean;
  /** Watches an environment while its first task is drawn. Default: nothing watches. */
  readonly watched?: (spec: EnvironmentSpec) => EnvironmentSpec;
};

/**
 * Loads the site in a folder.
 *
 * @param path - the folder, or its config file.
 * @throws WaggleError `NOT_FOUND` if there is no config; `INVALID_ARGUMENT` with file, line and what to write instead.
 */
export async function loadSite(
  path: string,
  { mayFailToDraw = false, watched = (spec) => spec }: LoadSiteOptions = {},
): Promise<LoadedSite> {
  const config = await readSiteConfig(path);
  const { source, definition } = config;
  const folder = dirname(source.file);
  requireFittingRecipe(config);
  requireFittingBase(config);
  requireFittingMetrics(config);
  requireFittingJudge(config);
  requireConsentText(config);
  requireModel(config, folder);
  const tools = await siteModule(config, "tools", WRITE.tools);
  const edge = await siteModule(config, "edgeTools", WRITE.edgeTools);
  const { practice, retention, reward, environment } = await practiceOf(config);
  const pageTools = pageToolsOf(tools);
  const edgeTools = edgeToolsOf(edge, pageTools);
  const labels = pageTools.map(({ name, label }) => ({ name, text: label }));
  const titles = edgeTools.map((tool) => ({ name: tool.definition.name, text: tool.title }));
  requireToolLanguages(tools, labels, definition);
  requireToolLanguages(edge, titles, definition);
  const mcpTools = mcpToolsOf(config, [
    ...pageTools.map(({ name }) => name),
    ...edgeTools.map((tool) => tool.definition.name),
  ]);
  const start = tools?.exports["start"];
  if (practice !== null && environment !== null) {
    const { prompt } = definition;
    const page = { prompt, tools: toolsInPage(pageTools, edgeTools, mcpTools) };
    const observed = await firstObservation(watched(environment), mayFailToDraw);
    if (observed !== null) requireSameTools(practice, observed, page);
    if (retention !== null && environment.retention !== undefined) {
      const kept = await firstObservation(watched(environment.retention), mayFailToDraw);
      if (kept !== null) requireSameTools(retention, kept, page);
    }
  }
  return {
    folder,
    configFile: source.file,
    definition,
    pageTools,
    edgeTools,
    start: typeof start === "function" ? (state) => start(state) as unknown : null,
    environment,
    files: {
      tools: tools?.path ?? null,
      edgeTools: edge?.path ?? null,
      environment: practice?.path ?? null,
      retentionEnvironment: retention?.path ?? null,
      reward: reward?.path ?? null,
    },
  };
}

/** What the model reads of a task; `null` if none can be drawn. */
async function firstObservation(
  spec: EnvironmentSpec,
  mayFailToDraw: boolean,
): Promise<FirstObservation | null> {
  try {
    return await spec.create(spec.reference(0, "train", 0)).environment.observe();
  } catch (error) {
    if (mayFailToDraw) return null;
    throw error;
  }
}

/** What a trainer runs of a site. */
export type SitePractice = {
  readonly configFile: string;
  /** The environment with the site's reward and its retention environment. */
  readonly environment: EnvironmentSpec;
  /** Absolute paths of the modules that decide tasks and rewards. */
  readonly files: readonly string[];
  /** Absolute path of the module of the retention environment; `null` if there is none. */
  readonly retentionFile: string | null;
};

/**
 * Loads the environment and the reward of a site, and none of the page's or the edge's code.
 *
 * @throws WaggleError as `loadSite`, and if the site has no environment.
 */
export async function loadPractice(path: string): Promise<SitePractice> {
  const config = await readSiteConfig(path);
  const { practice, retention, reward, environment } = await practiceOf(config);
  if (practice === null || environment === null) {
    throw config.source.mistake(
      config.source.nodeAt([]),
      `the site has no environment to practice in; write environment: ${importText("./practice/environment.ts")}`,
    );
  }
  const files = reward === null ? [practice.path] : [practice.path, reward.path];
  const retentionFile = retention?.path ?? null;
  return { configFile: config.source.file, environment, files, retentionFile };
}

type Practice = {
  readonly practice: SiteModule | null;
  readonly retention: SiteModule | null;
  readonly reward: SiteModule | null;
  readonly environment: EnvironmentSpec | null;
};

async function practiceOf(config: SiteConfig): Promise<Practice> {
  const practice = await siteModule(config, "environment", "defineEnvironment({ … })");
  const reward = await siteModule(config, "reward", "(rollout) => a number from 0 to 1");
  const retention = await siteModule(config, "retentionEnvironment", "defineEnvironment({ … })");
  const spec = practice === null ? null : specOf(practice);
  const environment = withRetention(config, rewarded(config, spec, reward), retention);
  return { practice, retention, reward, environment };
}

/** The environment with what must be kept beside it. */
function withRetention(
  { source, definition }: SiteConfig,
  spec: EnvironmentSpec | null,
  module: SiteModule | null,
): EnvironmentSpec | null {
  if (module === null) {
    const useless = (["retentionTasks", "retentionMargin"] as const).find(
      (name) => definition.gate?.[name] !== undefined,
    );
    if (useless === undefined) return spec;
    throw source.mistake(
      source.nodeAt(["gate", useless]),
      `gate.${useless} is about the tasks of retentionEnvironment, and there is none; write retentionEnvironment too`,
    );
  }
  const at = source.nodeAt(["retentionEnvironment"]);
  if (spec === null) {
    throw source.mistake(
      at,
      "retentionEnvironment is what practice must not harm, and there is no environment to practice in; write environment too",
    );
  }
  const retention = specOf(module);
  const names = ({ name, environments = [name] }: EnvironmentSpec) => environments;
  const shared = names(retention).find((name) => names(spec).includes(name));
  if (shared !== undefined) {
    throw source.mistake(
      at,
      `retentionEnvironment has the tasks of ${shared}, which the site practices; name an environment of other tasks, or leave it out`,
    );
  }
  return { ...spec, retention };
}

/** Names of the tools of MCP servers. @throws WaggleError at a name that another tool has. */
function mcpToolsOf(
  { source, definition }: SiteConfig,
  others: readonly string[],
): readonly string[] {
  const names = [...others];
  for (const [server, { tools }] of (definition.mcpServers ?? []).entries()) {
    for (const [index, name] of tools.entries()) {
      if (names.includes(name)) {
        throw source.mistake(
          source.nodeAt(["mcpServers", server, "tools", index]),
          `another tool of the site has the name "${name}"; leave it out here or rename the other`,
        );
      }
      names.push(name);
    }
  }
  return names.slice(others.length);
}

function requireModel({ source, definition }: SiteConfig, folder: string): void {
  const { model } = definition;
  if (model === undefined || existsSync(resolve(folder, model, "config.json"))) return;
  throw source.mistake(
    source.nodeAt(["model"]),
    `model is ${JSON.stringify(model)}, and ${resolve(folder, model)} has no config.json; name the folder of a model, or leave model out and run waggle base`,
  );
}

function specOf(module: SiteModule): EnvironmentSpec {
  const spec = module.default;
  const functions = ["reference", "levelOf", "task", "create", "demonstrator"];
  if (isObject(spec) && functions.every((name) => typeof spec[name] === "function")) {
    return spec as EnvironmentSpec;
  }
  throw module.mistakeAt(
    null,
    "the default export is no environment; write export default defineEnvironment({ … }) of @waggle/agent/define",
  );
}

function rewarded(
  { source }: SiteConfig,
  spec: EnvironmentSpec | null,
  module: SiteModule | null,
): EnvironmentSpec | null {
  if (module === null) return spec;
  if (spec === null) {
    throw source.mistake(
      source.nodeAt(["reward"]),
      "reward judges rollouts of the environment, and there is none; write environment too",
    );
  }
  const { default: reward, path } = module;
  if (typeof reward !== "function") {
    throw module.mistakeAt(null, "the default export is no function; write (rollout) => a number");
  }
  return withReward(spec, path, reward as RewardFunction);
}
