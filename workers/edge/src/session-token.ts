/**
 * Signed tokens of pages: a short-lived one that every call carries and a long-lived one that proves
 * which pseudonymous visitor this is. They hold no personal data and no right beyond "this visitor".
 */
import { type Channel, sha256, WaggleError } from "@waggle/protocol";
import { sign, verify } from "hono/jwt";

export type Session = {
  readonly visitorId: string;
  /** False for the session of one visit, opened without consent. */
  readonly isRemembered: boolean;
};

/** The tokens of a visitor who agreed and those of one visit; neither passes for the other. */
export type Audience =
  | "waggle-session"
  | "waggle-visitor"
  | "waggle-visit-session"
  | "waggle-visit";

/** A token for `visitorId`, valid for `ttlSeconds` from `now` (ms). */
export function signToken(
  audience: Audience,
  visitorId: string,
  ttlSeconds: number,
  secret: string,
  now: number,
): Promise<string> {
  const issued = Math.floor(now / 1000);
  return sign(
    { sub: visitorId, aud: audience, iat: issued, exp: issued + ttlSeconds },
    secret,
    "HS256",
  );
}

/** The id of the visitor a token proves; `null` for a forged, expired or foreign token. */
export async function verifyToken(
  audience: Audience,
  token: string,
  secrets: readonly string[],
): Promise<string | null> {
  for (const secret of secrets) {
    try {
      const payload = await verify(token, secret, { alg: "HS256", aud: audience });
      return typeof payload["sub"] === "string" ? payload["sub"] : null;
    } catch {
      // Signed with another secret, or not a token of this kind.
    }
  }
  return null;
}

/** The session a token stands for; `null` as above. */
export async function verifySession(
  token: string,
  secrets: readonly string[],
): Promise<Session | null> {
  const remembered = await verifyToken("waggle-session", token, secrets);
  if (remembered !== null) return { visitorId: remembered, isRemembered: true };
  const visit = await verifyToken("waggle-visit-session", token, secrets);
  return visit === null ? null : { visitorId: visit, isRemembered: false };
}

/** The bearer token of a request. @throws WaggleError `UNAUTHENTICATED` */
export function bearerOf(request: Request): string {
  const match = /^Bearer ([^\s]{1,4096})$/.exec(request.headers.get("authorization") ?? "");
  if (!match?.[1]) {
    throw new WaggleError(
      "UNAUTHENTICATED",
      "a bearer token must be sent, got none; set the Authorization header",
    );
  }
  return match[1];
}

/** Compares secrets in constant time, whatever their lengths. */
export async function sameSecret(a: string, b: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [x, y] = await Promise.all([
    crypto.subtle.digest("SHA-256", encoder.encode(a)),
    crypto.subtle.digest("SHA-256", encoder.encode(b)),
  ]);
  return crypto.subtle.timingSafeEqual(x, y);
}

/** The channel of a visitor: the same as long as the share stays the same. */
export async function channelOf(visitorId: string, canaryShare: number): Promise<Channel> {
  const position = Number.parseInt((await sha256(`channel ${visitorId}`)).slice(0, 8), 16);
  return position / 0x1_0000_0000 < canaryShare ? "canary" : "stable";
}
