/** What a site's definition means for the edge and for the trainer. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { FeedbackSource, isObject, type SiteSettings, siteVariable } from "@waggle/protocol";
import { feedbackOf } from "./feedback-check.ts";
import type { LoadedSite } from "./load-site.ts";
import { recipeOf } from "./recipe-check.ts";

/** Settings of the site at a deployed edge, where it may be one of several. The rest has the edge's defaults. */
export function siteSettings(site: LoadedSite): SiteSettings {
  const { siteKey, publisher, origins, limits } = site.definition.edge ?? {};
  return {
    ...(siteKey === undefined ? {} : { siteKeys: [siteKey] }),
    ...(publisher === undefined ? {} : { publisherKeys: [...publisher.keys] }),
    ...(origins === undefined ? {} : { allowedOrigins: [...origins] }),
    ...learningSettings(site),
    ...limits,
  };
}

/** Variables of the edge Worker on one machine. Its limits and origins are not those of a deployed edge. */
export function edgeVariables(site: LoadedSite): { readonly [name: string]: string } {
  return variablesOf(learningSettings(site));
}

/** A site's settings as variables of the Worker, for the site `default`. */
export function variablesOf(settings: SiteSettings): { readonly [name: string]: string } {
  // Lists are separated by commas; objects are JSON.
  const named = Object.entries(settings).map(([name, value]) => [
    siteVariable(name),
    isObject(value) ? JSON.stringify(value) : value,
  ]);
  return withValues(Object.fromEntries(named) as Values);
}

/** Tasks of the retention environment in an evaluation, where a site does not say. */
const RETENTION_TASKS = 100;

/** Tasks of the probes, where a site says nothing about its gate: the edge's own default of `minTasks`. */
const PROBE_TASKS = 64;

/** What the site's trainer learns from; `undefined` if from practice tasks alone. */
function feedbackSources(definition: LoadedSite["definition"]): FeedbackSource[] | undefined {
  const { messages = false, requestTrials } = definition.training?.judge ?? {};
  // Comparisons teach nothing.
  const isJudged = messages || requestTrials !== undefined;
  const feedback = feedbackOf(definition);
  if (feedback === null && !isJudged) return undefined;
  const read = new Set<string>([...Object.keys(feedback ?? {}), ...(isJudged ? ["judge"] : [])]);
  return FeedbackSource.options.filter((source) => read.has(source));
}

function learningSettings({ definition, environment }: LoadedSite): SiteSettings {
  const { gate = {}, retention = {}, training = {}, consent, metrics } = definition;
  const settings: SiteSettings = {
    taskEnvironment: environment?.name,
    metrics,
    gateMinTasks: gate.minTasks,
    gateMargin: gate.margin,
    gateSignificance: gate.significance,
    gateRetentionTasks:
      environment?.retention === undefined ? undefined : (gate.retentionTasks ?? RETENTION_TASKS),
    gateRetentionMargin: gate.retentionMargin,
    gateProbeTasks:
      environment === null ? undefined : (gate.probeTasks ?? gate.minTasks ?? PROBE_TASKS),
    gateRelease: gate.release,
    canaryShare: gate.canaryShare,
    feedbackWaitSeconds: training.feedbackWaitSeconds,
    feedbackFrom: feedbackSources(definition),
    visitorTtlDays: retention.visitorDays,
    retentionDays: retention.trajectoryDays,
    consentDays: consent?.expiresAfterDays,
    collect: consent?.collect,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Arguments of `waggle train-edge`, without the edge and the state folder. */
export function trainerArguments({
  folder,
  definition,
}: Pick<LoadedSite, "folder" | "definition">): readonly string[] {
  const { training = {}, model, constrainToolCalls = true } = definition;
  const settings = Object.entries(training.settings ?? {});
  return [
    // Without an environment, the trainer reads the tools that requests were decoded with.
    definition.environment === undefined ? "--tools" : "--env",
    folder,
    ...optionsOf({
      model: model === undefined ? undefined : resolve(folder, model),
      recipe: recipeOf(definition),
      "groups-per-step": training.groupsPerStep,
      epochs: training.epochs,
      "publish-every": training.publishEvery,
      "kl-coefficient": training.klCoefficient,
      "watch-base-drift": training.baseDrift,
      "evaluation-tasks": training.evaluationTasks,
      "judge-model": training.judge?.model,
      "judge-votes": training.judge?.votes,
      "request-trials": training.judge?.requestTrials,
      "read-only-tools": training.judge?.readOnlyTools,
      "compare-requests": training.judge?.comparisons,
    }),
    ...(training.judge?.messages === true ? ["--judge-messages"] : []),
    ...(constrainToolCalls ? [] : ["--no-constrain-tool-calls"]),
    ...settings.flatMap(([name, value]) => ["--set", `${name}=${value}`]),
  ];
}

/** Arguments of `waggle train-base`, without the folder of the model. */
export function baseArguments({ folder, definition }: LoadedSite): readonly string[] {
  const { from, ...base } = definition.base ?? {};
  return [
    "--env",
    folder,
    ...optionsOf({ from: from === undefined ? undefined : fromOf(folder, from), ...base }),
  ];
}

/** The folder, relative to the config; a name such as `default` stays. */
function fromOf(folder: string, from: string): string {
  const path = resolve(folder, from);
  return existsSync(path) ? path : from;
}

type Values = { readonly [name: string]: string | number | readonly string[] | undefined };

function withValues(values: Values): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
}

function optionsOf(values: Values): readonly string[] {
  return Object.entries(withValues(values)).flatMap(([name, value]) => [`--${name}`, value]);
}
