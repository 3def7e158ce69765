/** Sites: list, create, read, change and disable, for the operator of the installation; a list for its trainer. */
import {
  ChangeSiteRequest,
  CreateSiteRequest,
  CreateSiteResponse,
  DEFAULT_SITE,
  isObject,
  releaseRefusal,
  RotateCredentialRequest,
  RotateCredentialResponse,
  Site,
  SiteId,
  SiteSettings,
  SitesResponse,
  SitesToTrainResponse,
  WaggleError,
} from "@waggle/protocol";
import { decisionOf, operatorName } from "../actor.ts";
import { type AuditAction, auditStatement } from "../audit-log.ts";
import { describeIssues, readJson } from "../body.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { EdgeContext, Endpoint, Parameter } from "../endpoint.ts";
import { readSettings, type Settings } from "../settings.ts";
import { siteDatabase } from "../sites/site-database.ts";
import {
  forgetSites,
  requireSite,
  type ServedSite,
  siteDirectory,
} from "../sites/site-directory.ts";
import {
  baseModelsOfSites,
  changeSite,
  createSite,
  keyTaken,
  rotateCredential,
  setDisabled,
} from "../sites/site-store.ts";

const siteParameter: Parameter = {
  name: "site",
  in: "path",
  description: "Id of a site.",
  schema: SiteId,
};

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The settings that apply to `default`, without what is empty. */
function applied(settings: Settings): SiteSettings {
  const camel = (name: string) =>
    name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const named = Object.entries(settings).map(([name, value]) => [camel(name), value] as const);
  const isEmpty = (value: unknown) =>
    value === "" || value === null || (isObject(value) && Object.keys(value).length === 0);
  const known = named.filter(([name, value]) => name in SiteSettings.shape && !isEmpty(value));
  return SiteSettings.parse(Object.fromEntries(known));
}

function shown({ id, name, stored, settings }: ServedSite): Site {
  const isDefault = id === DEFAULT_SITE;
  const own = stored?.settings ?? {};
  return {
    id,
    name,
    createdAt: isDefault ? null : iso(stored?.createdAt ?? null),
    disabledAt: iso(stored?.disabledAt ?? null),
    settings: isDefault ? applied(settings) : own,
    stored: Object.keys(own),
  };
}

/** The site of the path, read anew. @throws WaggleError `NOT_FOUND` */
async function readSite(context: EdgeContext): Promise<ServedSite> {
  forgetSites();
  return requireSite(await siteDirectory(context.env), context.req.param("site") ?? "");
}

/**
 * The keys in the Worker's variables are those of `default`, even while it has others.
 * @throws WaggleError `CONFLICT` for such a key at another site
 */
function requireFree({ env }: EdgeContext, id: string, keys: readonly string[] = []): void {
  if (id === DEFAULT_SITE) return;
  const taken = new Set(readSettings(env).SITE_KEYS);
  if (keys.some((key) => taken.has(key))) throw keyTaken();
}

/**
 * What a site does not set, `default` has from the Worker.
 * @throws WaggleError `INVALID_ARGUMENT` for a release by a metric that the site does not declare
 */
function requireReleasable({ env }: EdgeContext, id: string, settings: SiteSettings): void {
  const worker = id === DEFAULT_SITE ? readSettings(env) : { GATE_RELEASE: null, METRICS: {} };
  const { gateRelease = worker.GATE_RELEASE, metrics = worker.METRICS } = settings;
  const refusal = gateRelease && releaseRefusal(gateRelease, metrics);
  if (refusal !== null) throw new WaggleError("INVALID_ARGUMENT", refusal);
}

/** Logs the action with the site that it changed, and shows the site. */
async function note(context: EdgeContext, id: string, action: AuditAction, reason = "") {
  const decision = decisionOf(context, "operator", reason);
  await auditStatement(siteDatabase(context.env.DB, id), action, decision).run();
  forgetSites();
  return shown(requireSite(await siteDirectory(context.env), id));
}

/** The settings after a change. @throws WaggleError `SCHEMA_INVALID` */
function changed(before: SiteSettings, change: ChangeSiteRequest["settings"] = {}): SiteSettings {
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  const parsed = SiteSettings.safeParse(Object.fromEntries(merged));
  if (parsed.success) return parsed.data;
  throw new WaggleError(
    "SCHEMA_INVALID",
    `the settings do not match their schema: ${describeIssues(parsed.error)} (see /openapi.json)`,
  );
}

function disabling(isDisabled: boolean): Endpoint {
  return {
    method: isDisabled ? "put" : "delete",
    path: "/v1/operator/sites/{site}/disabled",
    operationId: isDisabled ? "disableSite" : "enableSite",
    summary: isDisabled
      ? "Stops sessions, and the site's own credentials. Its data stays."
      : "Serves a disabled site again.",
    access: "installation",
    parameters: [siteParameter, operatorName],
    responses: { 200: Site },
    handle: async (context) => {
      const { id } = await readSite(context);
      if (id === DEFAULT_SITE) {
        throw new WaggleError(
          "CONFLICT",
          isDisabled
            ? `the site ${id} cannot be disabled; its kill switch silences the assistant in all its pages`
            : `the site ${id} is always enabled; if its settings cannot be read, store them again`,
        );
      }
      await setDisabled(context.env.DB, id, isDisabled ? context.var.now : null);
      return context.json(await note(context, id, isDisabled ? "disable-site" : "enable-site"));
    },
  };
}

/** `/v1/operator/sites` and `/v1/trainer/sites`. */
export const siteEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/trainer/sites",
    operationId: "listSitesToTrain",
    summary:
      "The enabled sites of the installation, with what a trainer needs to choose among them.",
    access: "installation-trainer",
    responses: { 200: SitesToTrainResponse },
    handle: async (context) => {
      const { sites } = await siteDirectory(context.env);
      const baseModels = await baseModelsOfSites(context.env.DB);
      const enabled = [...sites.values()].filter(({ stored }) => stored?.disabledAt == null);
      const answer: SitesToTrainResponse = {
        sites: enabled.map(({ id, settings: { TASK_ENVIRONMENT } }) => ({
          id,
          environment: TASK_ENVIRONMENT === "" ? null : TASK_ENVIRONMENT,
          baseModel: baseModels.get(id) ?? null,
        })),
      };
      return context.json(answer);
    },
  },
  {
    method: "get",
    path: "/v1/operator/sites",
    operationId: "listSites",
    summary: "All sites of the installation.",
    access: "installation",
    responses: { 200: SitesResponse },
    handle: async (context) => {
      forgetSites();
      const { sites } = await siteDirectory(context.env);
      return context.json({ sites: [...sites.values()].map(shown) } satisfies SitesResponse);
    },
  },
  {
    method: "post",
    path: "/v1/operator/sites",
    operationId: "createSite",
    summary: "Creates a site. The answer has its credentials, which are not shown again.",
    access: "installation",
    parameters: [operatorName],
    request: CreateSiteRequest,
    responses: { 200: CreateSiteResponse },
    handle: async (context) => {
      const { id, name = id, settings = {} } = await readJson(context.req.raw, CreateSiteRequest);
      if (id === DEFAULT_SITE) {
        throw new WaggleError("CONFLICT", `site ${id} already exists; choose another id`);
      }
      requireFree(context, id, settings.siteKeys);
      requireReleasable(context, id, settings);
      const keys = settings.siteKeys ?? [`site-${crypto.randomUUID()}`];
      const site = { id, name, settings: { ...settings, siteKeys: keys } };
      const credentials = await createSite(context.env.DB, site, context.var.now);
      const answer: CreateSiteResponse = {
        site: await note(context, id, "create-site"),
        ...credentials,
      };
      return context.json(answer, 200, { "Cache-Control": "no-store" });
    },
  },
  {
    method: "get",
    path: "/v1/operator/sites/{site}",
    operationId: "getSite",
    summary: "One site with its settings.",
    access: "installation",
    parameters: [siteParameter],
    responses: { 200: Site },
    handle: async (context) => context.json(shown(await readSite(context))),
  },
  {
    method: "put",
    path: "/v1/operator/sites/{site}",
    operationId: "changeSite",
    summary: "Changes the name or some settings of a site; `null` removes a setting.",
    access: "installation",
    parameters: [siteParameter, operatorName],
    request: ChangeSiteRequest,
    responses: { 200: Site },
    handle: async (context) => {
      const { id, name, stored } = await readSite(context);
      const request = await readJson(context.req.raw, ChangeSiteRequest);
      const settings = changed(stored?.settings ?? {}, request.settings);
      requireFree(context, id, settings.siteKeys);
      requireReleasable(context, id, settings);
      const { now } = context.var;
      await changeSite(context.env.DB, { id, name: request.name ?? name, settings }, now);
      const names = Object.keys(request.settings ?? {}).join(", ");
      forgetSites();
      // Its alarm deletes what a shorter retention no longer keeps.
      await coordinatorOf(context.env, id).watch(now);
      return context.json(await note(context, id, "change-site", names));
    },
  },
  {
    method: "post",
    path: "/v1/operator/sites/{site}/credentials",
    operationId: "rotateSiteCredential",
    summary: "Replaces a credential of a site, or makes its first.",
    access: "installation",
    parameters: [siteParameter, operatorName],
    request: RotateCredentialRequest,
    responses: { 200: RotateCredentialResponse },
    handle: async (context) => {
      const { id } = await readSite(context);
      const { role, overlapHours = 0 } = await readJson(context.req.raw, RotateCredentialRequest);
      const { now } = context.var;
      const until = now + overlapHours * 3_600_000;
      const credential = await rotateCredential(context.env.DB, id, role, until, now);
      const overlap = overlapHours === 0 ? "" : `, the previous one is valid for ${overlapHours} h`;
      await note(context, id, "rotate-credential", `${role}${overlap}`);
      const answer: RotateCredentialResponse = { credential };
      return context.json(answer, 200, { "Cache-Control": "no-store" });
    },
  },
  disabling(true),
  disabling(false),
];
