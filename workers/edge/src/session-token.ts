/**
 * Signed tokens of pages: a short-lived one for every call, and a long-lived one that proves a pseudonymous
 * visitor. Both name the site; those of the release before there were sites do not. They contain no personal data and
 * grant no right beyond "this visitor".
 */
import { type Channel, DEFAULT_SITE, sha256, WaggleError } from "@waggle/protocol";
import { sign, verify } from "hono/jwt";

/** The session that a token proves. */
export type Session = {
  readonly site: string;
  readonly visitorId: string;
  /** Hash of the site key that opened it; `null` in a token of the previous release. */
  readonly siteKey: string | null;
  /** False for the session of a single visit, opened without consent. */
  readonly isRemembered: boolean;
};

/** Separates tokens of visitors who gave consent from those of single visits. */
export type Audience =
  | "waggle-session"
  | "waggle-visitor"
  | "waggle-visit-session"
  | "waggle-visit";

/** A visitor of a site. */
export type Visitor = {
  readonly site: string;
  readonly visitorId: string;
  /** Hash of the site key that the page used; only in tokens of sessions. */
  readonly siteKey?: string | undefined;
};

/** Hash that names a site key in tokens and rows. */
export async function siteKeyName(siteKey: string): Promise<string> {
  return (await sha256(`site key ${siteKey}`)).slice(0, 16);
}

/** Signs a token for a visitor that is valid for `ttlSeconds` from `now` (ms). */
export function signToken(
  audience: Audience,
  { site, visitorId, siteKey }: Visitor,
  ttlSeconds: number,
  secret: string,
  now: number,
): Promise<string> {
  const issued = Math.floor(now / 1000);
  return sign(
    {
      sub: visitorId,
      site,
      ...(siteKey === undefined ? {} : { key: siteKey }),
      aud: audience,
      iat: issued,
      exp: issued + ttlSeconds,
    },
    secret,
    "HS256",
  );
}

/** The visitor that a token proves; `null` for a forged, expired or foreign token. */
export async function verifyToken(
  audience: Audience,
  token: string,
  secrets: readonly string[],
): Promise<Visitor | null> {
  for (const secret of secrets) {
    try {
      const payload = await verify(token, secret, { alg: "HS256", aud: audience });
      const { sub, site = DEFAULT_SITE, key } = payload;
      if (typeof sub !== "string" || typeof site !== "string") return null;
      return { site, visitorId: sub, siteKey: typeof key === "string" ? key : undefined };
    } catch {
      // Signed with another secret, or another kind of token.
    }
  }
  return null;
}

/** The session that a token proves; `null` as above. */
export async function verifySession(
  token: string,
  secrets: readonly string[],
): Promise<Session | null> {
  const remembered = await verifyToken("waggle-session", token, secrets);
  if (remembered !== null) return sessionOf(remembered, true);
  const visit = await verifyToken("waggle-visit-session", token, secrets);
  return visit === null ? null : sessionOf(visit, false);
}

function sessionOf({ site, visitorId, siteKey }: Visitor, isRemembered: boolean): Session {
  return { site, visitorId, siteKey: siteKey ?? null, isRemembered };
}

/** The bearer token of a request. @throws WaggleError `UNAUTHENTICATED` */
export function bearerOf(request: Request): string {
  const match = /^Bearer ([^\s]{1,4096})$/.exec(request.headers.get("authorization") ?? "");
  if (!match?.[1]) {
    throw new WaggleError("UNAUTHENTICATED", "no bearer token; set the Authorization header");
  }
  return match[1];
}

/** Compares secrets in constant time, regardless of their lengths. */
export async function sameSecret(a: string, b: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [x, y] = await Promise.all([
    crypto.subtle.digest("SHA-256", encoder.encode(a)),
    crypto.subtle.digest("SHA-256", encoder.encode(b)),
  ]);
  return crypto.subtle.timingSafeEqual(x, y);
}

/** Where a visitor is among all visitors, in [0, 1). */
export async function channelPosition(visitorId: string): Promise<number> {
  return Number.parseInt((await sha256(`channel ${visitorId}`)).slice(0, 8), 16) / 0x1_0000_0000;
}

/** The channel of a visitor. It changes only if the share changes, and a growing share takes nobody off the canary. */
export async function channelOf(visitorId: string, canaryShare: number): Promise<Channel> {
  return (await channelPosition(visitorId)) < canaryShare ? "canary" : "stable";
}
