/** Access control: one middleware for each kind of access. */
import { WaggleError } from "@waggle/protocol";
import type { MiddlewareHandler } from "hono";
import { addressPrefix } from "./address-prefix.ts";
import type { Access, EdgeContext, EdgeEnv } from "./endpoint.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { bearerOf, sameSecret, type Session, verifySession } from "./session-token.ts";
import { sessionSecrets } from "./settings.ts";

/**
 * Counts requests of `key` (a visitor or an address prefix).
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
  const limiter = namespace.getByName(key);
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
export function prefixKey(kind: "requests" | "sessions", prefix: string): string {
  return `${kind}:${prefix}`;
}

const session: MiddlewareHandler<EdgeEnv> = async (context, next) => {
  const { settings } = context.var;
  const token = bearerOf(context.req.raw);
  const found = await verifySession(token, sessionSecrets(settings));
  if (!found) {
    throw new WaggleError(
      "UNAUTHENTICATED",
      "this session token is forged or expired; open a new session",
    );
  }
  await countRequest(context, visitorKey(found.visitorId), settings.RATE_LIMIT_PER_MINUTE);
  const prefix = await addressPrefix(context.req.raw, settings.SESSION_SECRET);
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

const credential =
  (name: "TRAINER_CREDENTIAL" | "OPERATOR_CREDENTIAL"): MiddlewareHandler<EdgeEnv> =>
  async (context, next) => {
    if (!(await sameSecret(bearerOf(context.req.raw), context.var.settings[name]))) {
      throw new WaggleError(
        "UNAUTHENTICATED",
        "this credential is wrong; see the credentials of your installation",
      );
    }
    await next();
  };

/** The middleware of each kind of access. */
export const ACCESS: { readonly [access in Access]: MiddlewareHandler<EdgeEnv> } = {
  public: (_, next) => next(),
  session,
  trainer: credential("TRAINER_CREDENTIAL"),
  operator: credential("OPERATOR_CREDENTIAL"),
};
