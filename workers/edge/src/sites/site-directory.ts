/**
 * The sites that this Worker serves, and which site a key, a credential or an origin belongs to. A site's own
 * settings override the Worker's variables. An isolate keeps the sites for a few seconds, so a change reaches every
 * isolate without a deployment.
 */
import {
  DEFAULT_SITE,
  type RotateCredentialRequest,
  siteVariable,
  WaggleError,
} from "@waggle/protocol";
import { type Bindings, readSettings, type Settings } from "../settings.ts";
import { listSites, type StoredSite } from "./site-store.ts";

/** Time after which an isolate reads the sites again. */
const FRESH_MS = 5000;

/** A site with the settings that apply to it. */
export type ServedSite = {
  readonly id: string;
  readonly name: string;
  /** `null` for `default` until it is changed. */
  readonly stored: StoredSite | null;
  readonly settings: Settings;
};

/** All sites of an installation. */
export type SiteDirectory = {
  readonly sites: ReadonlyMap<string, ServedSite>;
  readonly byKey: ReadonlyMap<string, ServedSite>;
};

/**
 * Settings that only `default` has from the Worker: pages, tools, publisher, tasks, metrics and releases of one site are
 * not those of another.
 */
const NOT_INHERITED = {
  SITE_KEYS: [],
  ALLOWED_ORIGINS: [],
  EDGE_TOOLS: [],
  PUBLISHER_KEYS: [],
  TASK_ENVIRONMENT: "",
  METRICS: {},
  GATE_RELEASE: null,
} satisfies Partial<Settings>;

/** A stored site with the settings that apply to it: its own, and the Worker's for the rest. */
function served(stored: StoredSite, worker: Settings): ServedSite {
  const { id, name } = stored;
  const named = Object.entries(stored.settings).map(([setting, value]) => [
    siteVariable(setting),
    value,
  ]);
  const own = Object.fromEntries(named) as Partial<Settings>;
  const inherited = id === DEFAULT_SITE ? worker : { ...worker, ...NOT_INHERITED };
  return { id, name, stored, settings: { ...inherited, ...own } };
}

/** All sites. Until an operator changes `default`, the Worker's variables configure it. */
function directoryOf(stored: readonly StoredSite[], worker: Settings): SiteDirectory {
  const sites = new Map<string, ServedSite>([
    [DEFAULT_SITE, { id: DEFAULT_SITE, name: DEFAULT_SITE, stored: null, settings: worker }],
    ...stored.map((site) => [site.id, served(site, worker)] as const),
  ]);
  // `default` is last, so that its keys win.
  const byKey = [...sites.values()]
    .toReversed()
    .flatMap((site) => site.settings.SITE_KEYS.map((key) => [key, site] as const));
  return { sites, byKey: new Map(byKey) };
}

let generation = 0;
type Known = { readonly directory: SiteDirectory; readonly readAt: number; generation: number };
const known = new WeakMap<object, Known>();

/** Makes this isolate read the sites again. */
export function forgetSites(): void {
  generation += 1;
}

/** The sites, at most a few seconds old. */
export async function siteDirectory(env: Bindings): Promise<SiteDirectory> {
  const before = known.get(env);
  const now = Date.now();
  if (before?.generation === generation && Math.abs(now - before.readAt) < FRESH_MS) {
    return before.directory;
  }
  const asOf = generation;
  const directory = directoryOf(await listSites(env.DB), readSettings(env));
  known.set(env, { directory, readAt: now, generation: asOf });
  return directory;
}

/** The sites. While the database does not answer: only `default`, as the Worker's variables configure it. */
export async function reachableSites(env: Bindings): Promise<SiteDirectory> {
  try {
    return await siteDirectory(env);
  } catch {
    return directoryOf([], readSettings(env));
  }
}

/** @throws WaggleError `NOT_FOUND` */
export function requireSite({ sites }: SiteDirectory, id: string): ServedSite {
  const site = sites.get(id);
  if (site !== undefined) return site;
  throw new WaggleError(
    "NOT_FOUND",
    "there is no site with this id; GET /v1/operator/sites lists them",
  );
}

/** @throws WaggleError `FORBIDDEN` for a disabled site */
export function requireEnabled(site: ServedSite): ServedSite {
  if (site.stored === null || site.stored.disabledAt === null) return site;
  throw new WaggleError(
    "FORBIDDEN",
    "this site is disabled; an operator of the installation can enable it again",
  );
}

/**
 * The site whose trainer, operator or server has a credential with this hash, or had it until it was replaced and may
 * still use it; `null` for an unknown one.
 */
export function siteOfCredential(
  { sites }: SiteDirectory,
  role: RotateCredentialRequest["role"],
  hash: string,
  now: number,
): ServedSite | null {
  const isValid = ({ stored }: ServedSite): boolean => {
    const previous = stored?.previousCredentials[role];
    const isPrevious = previous?.hash === hash && now < previous.until;
    return stored?.[`${role}Credential`] === hash || isPrevious;
  };
  return [...sites.values()].find(isValid) ?? null;
}

/** The value of `Access-Control-Allow-Origin` for pages of these sites; `null` for none. */
export function allowedOrigin(sites: Iterable<ServedSite>, origin: string): string | null {
  const allowed = [...sites].flatMap(({ settings }) => settings.ALLOWED_ORIGINS);
  return allowed.includes("*") ? "*" : allowed.includes(origin) ? origin : null;
}
