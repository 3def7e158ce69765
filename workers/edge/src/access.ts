/** Access control: one middleware for each kind of access. */
import {
  DEFAULT_SITE,
  sha256,
  SITE_HEADER,
  type RotateCredentialRequest,
  WaggleError,
} from "@waggle/protocol";
import type { MiddlewareHandler } from "hono";
import { addressPrefix } from "./address-prefix.ts";
import type { Access, EdgeContext, EdgeEnv } from "./endpoint.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { bearerOf, sameSecret, type Session, verifySession } from "./session-token.ts";
import { installationCredentials, readSettings, sessionSecrets } from "./settings.ts";
import { noteLogin } from "./operators/operator-logins.ts";
import { enterSite } from "./sites/enter-site.ts";
import {
  reachableSites,
  requireEnabled,
  requireSite,
  type ServedSite,
  siteDirectory,
  siteOfCredential,
} from "./sites/site-directory.ts";
import { nameInSite } from "./sites/site-name.ts";

/**
 * Counts requests of `key` (a visitor or an address prefix) in the request's site.
 * @throws WaggleError `RATE_LIMITED`
 */
export async function countRequest(
  context: EdgeContext,
  key: string,
  perMinute: number,
  count = 1,
): Promise<void> {
  if (perMinute === 0) return;
  const namespace = context.env.RATE_LIMITER as DurableObjectNamespace<RateLimiter>;
  const limiter = namespace.getByName(nameInSite(context.var.site.id, key));
  const retryAfterMs = await limiter.take(perMinute, context.var.now, count);
  if (retryAfterMs === 0) return;
  throw new WaggleError(
    "RATE_LIMITED",
    `more than ${perMinute} requests in a minute; wait before you send more`,
    { retryable: true, retryAfterMs },
  );
}

/** Rate-limit key of a visitor. */
export function visitorKey(visitorId: string): string {
  return `visitor:${visitorId}`;
}

/** Rate-limit key of an address prefix. Each `kind` has its own limit. */
export function prefixKey(kind: "requests" | "sessions" | "unknown-keys", prefix: string): string {
  return `${kind}:${prefix}`;
}

const session: MiddlewareHandler<EdgeEnv> = async (context, next) => {
  const token = bearerOf(context.req.raw);
  const found = await verifySession(token, sessionSecrets(readSettings(context.env)));
  const directory = await siteDirectory(context.env);
  const site = found && directory.sites.get(found.site);
  if (!found || !site) {
    throw new WaggleError(
      "UNAUTHENTICATED",
      "this session token is forged or expired; open a new session",
    );
  }
  enterSite(context, site);
  requireEnabled(site);
  const { settings } = context.var;
  await countRequest(context, visitorKey(found.visitorId), settings.RATE_LIMIT_PER_MINUTE);
  const prefix = await addressPrefix(context.req.raw, settings.SESSION_SECRET, site.id);
  const key = prefixKey("requests", prefix);
  await countRequest(context, key, settings.PREFIX_RATE_LIMIT_PER_MINUTE);
  context.set("session", found);
  context.set("addressPrefix", prefix);
  await next();
};

/**
 * Returns the session if its visitor gave consent.
 * @throws WaggleError `CONSENT_MISSING` for a session without consent, for which nothing may be stored
 */
export function requireConsent(session: Session): Session {
  if (session.isRemembered) return session;
  throw new WaggleError(
    "CONSENT_MISSING",
    "this session was opened without consent, so nothing is stored for it; open one with consent",
  );
}

/** The site that a caller with the installation's credential names. */
async function namedSite({ env, req }: EdgeContext): Promise<ServedSite> {
  return requireSite(await siteDirectory(env), req.header(SITE_HEADER) ?? DEFAULT_SITE);
}

/** The site of a public request. Objects of `default` are served while the database does not answer. */
async function publicSite(context: EdgeContext): Promise<ServedSite> {
  return context.req.header(SITE_HEADER) === undefined
    ? requireSite(await reachableSites(context.env), DEFAULT_SITE)
    : namedSite(context);
}

/** The site that the request's own credential opens. A disabled site's credentials open nothing. */
async function siteOfBearer(
  context: EdgeContext,
  role: RotateCredentialRequest["role"],
  bearer: string,
): Promise<ServedSite> {
  const directory = await siteDirectory(context.env);
  const site = siteOfCredential(directory, role, await sha256(bearer), context.var.now);
  if (site === null) {
    throw new WaggleError(
      "UNAUTHENTICATED",
      "this credential is wrong; see the credentials of your installation",
    );
  }
  const named = context.req.header(SITE_HEADER);
  if (named !== undefined && named !== site.id) {
    throw new WaggleError(
      "FORBIDDEN",
      `this credential opens the site ${site.id} alone; leave out ${SITE_HEADER} or name that site`,
    );
  }
  return requireEnabled(site);
}

/** The site of a trainer that calls a public route; `null` for anyone else. */
export async function trainerSite(context: EdgeContext): Promise<string | null> {
  if (context.req.header("Authorization") === undefined) return null;
  const bearer = bearerOf(context.req.raw);
  if (await isOfInstallation(context, "trainer", bearer)) return context.var.site.id;
  const directory = await siteDirectory(context.env);
  const hash = await sha256(bearer);
  return siteOfCredential(directory, "trainer", hash, context.var.now)?.id ?? null;
}

/** Whether this is a credential of the installation. */
async function isOfInstallation(
  context: EdgeContext,
  role: "trainer" | "operator",
  bearer: string,
): Promise<boolean> {
  const valid = installationCredentials(readSettings(context.env), role);
  const same = await Promise.all(valid.map((credential) => sameSecret(bearer, credential)));
  return same.includes(true);
}

const credential =
  (role: "trainer" | "operator"): MiddlewareHandler<EdgeEnv> =>
  async (context, next) => {
    const bearer = bearerOf(context.req.raw);
    const isInstallation = await isOfInstallation(context, role, bearer);
    const site = isInstallation
      ? await namedSite(context)
      : await siteOfBearer(context, role, bearer);
    enterSite(context, site);
    // An operator may still export and delete what a disabled site has stored.
    if (role === "trainer") requireEnabled(site);
    else await noteLogin(context);
    await next();
  };

const installation =
  (role: "trainer" | "operator"): MiddlewareHandler<EdgeEnv> =>
  async (context, next) => {
    const bearer = bearerOf(context.req.raw);
    if (!(await isOfInstallation(context, role, bearer))) {
      await siteOfBearer(context, role, bearer);
      throw new WaggleError(
        "FORBIDDEN",
        `this credential opens one site; use the ${role}'s credential of the installation`,
      );
    }
    enterSite(context, requireSite(await siteDirectory(context.env), DEFAULT_SITE));
    if (role === "operator") await noteLogin(context);
    await next();
  };

/** The site's own server. Only a site has such a credential, so that one for all sites cannot leak. */
const outcomes: MiddlewareHandler<EdgeEnv> = async (context, next) => {
  enterSite(context, await siteOfBearer(context, "outcomes", bearerOf(context.req.raw)));
  await next();
};

/** The middleware of each kind of access. */
export const ACCESS: { readonly [access in Access]: MiddlewareHandler<EdgeEnv> } = {
  public: async (context, next) => {
    enterSite(context, await publicSite(context));
    await next();
  },
  session,
  trainer: credential("trainer"),
  operator: credential("operator"),
  outcomes,
  installation: installation("operator"),
  "installation-trainer": installation("trainer"),
};
