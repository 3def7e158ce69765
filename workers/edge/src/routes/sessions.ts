/** Sessions of pages: a public site key is exchanged for a short-lived token. */
import { SessionRequest, SessionResponse, WaggleError } from "@waggle/protocol";
import { addressKey, countRequest } from "../access.ts";
import { readJson } from "../body.ts";
import type { Endpoint } from "../endpoint.ts";
import { isForgotten } from "../forgotten-book.ts";
import { channelOf, signToken, verifyToken } from "../session-token.ts";

const DAY_SECONDS = 86_400;

export const sessionEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/sessions",
    operationId: "createSession",
    summary: "Opens a session; a valid visitor token keeps the visitor, any other makes a new one.",
    access: "public",
    request: SessionRequest,
    responses: { 200: SessionResponse },
    handle: async (context) => {
      const { settings, now } = context.var;
      await countRequest(context, await addressKey(context.req.raw), settings.SESSIONS_PER_MINUTE);
      const request = await readJson(context.req.raw, SessionRequest);
      if (!settings.SITE_KEYS.includes(request.siteKey)) {
        throw new WaggleError(
          "FORBIDDEN",
          "a site key must be registered, got an unknown one; see SITE_KEYS",
        );
      }
      const known =
        request.visitorToken === undefined
          ? null
          : await verifyToken("waggle-visitor", request.visitorToken, settings.SESSION_SECRET);
      // Who was forgotten comes back as somebody else.
      const isKnown = known !== null && !(await isForgotten(context.env.DB, known.visitorId));
      const visitorId = isKnown ? known.visitorId : crypto.randomUUID();
      const sign = (audience: "waggle-session" | "waggle-visitor", ttlSeconds: number) =>
        signToken(audience, visitorId, ttlSeconds, settings.SESSION_SECRET, now);
      const answer: SessionResponse = {
        token: await sign("waggle-session", settings.SESSION_TTL_SECONDS),
        expiresAt: new Date(now + settings.SESSION_TTL_SECONDS * 1000).toISOString(),
        visitorId,
        visitorToken: await sign("waggle-visitor", settings.VISITOR_TTL_DAYS * DAY_SECONDS),
        channel: await channelOf(visitorId, settings.CANARY_SHARE),
      };
      return context.json(answer);
    },
  },
];
