/** Sessions of pages: a public site key is exchanged for a short-lived token. */
import { SessionRequest, SessionResponse, WaggleError } from "@waggle/protocol";
import { countRequest, prefixKey } from "../access.ts";
import { addressPrefix } from "../address-prefix.ts";
import { readJson } from "../body.ts";
import type { Endpoint } from "../endpoint.ts";
import { isForgotten } from "../forgotten-store.ts";
import { type Audience, channelOf, signToken, verifyToken } from "../session-token.ts";
import { sessionSecrets } from "../settings.ts";

const DAY_SECONDS = 86_400;
/** The id of a visit without consent is kept in the page's memory; no visit is longer. */
const VISIT_SECONDS = DAY_SECONDS;

export const sessionEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/sessions",
    operationId: "createSession",
    summary:
      "Opens a session; a valid visitor token keeps the visitor, any other makes a new one. " +
      "`remember: false` opens it for one visit: nothing can be stored for it.",
    access: "public",
    request: SessionRequest,
    responses: { 200: SessionResponse },
    handle: async (context) => {
      const { settings, now } = context.var;
      const prefix = await addressPrefix(context.req.raw, settings.SESSION_SECRET);
      await countRequest(context, prefixKey("sessions", prefix), settings.SESSIONS_PER_MINUTE);
      const request = await readJson(context.req.raw, SessionRequest);
      if (!settings.SITE_KEYS.includes(request.siteKey)) {
        throw new WaggleError(
          "FORBIDDEN",
          "a site key must be registered, got an unknown one; see SITE_KEYS",
        );
      }
      // Pages of the first release do not say; they have a visitor token.
      const isRemembered = request.remember ?? true;
      const audience = isRemembered ? "waggle-visitor" : "waggle-visit";
      const secrets = sessionSecrets(settings);
      const known =
        request.visitorToken === undefined
          ? null
          : await verifyToken(audience, request.visitorToken, secrets);
      // A forgotten visitor becomes a new one.
      const isKnown = known !== null && !(await isForgotten(context.env.DB, known));
      const visitorId = isKnown ? known : crypto.randomUUID();
      const sign = (kind: Audience, ttlSeconds: number) =>
        signToken(kind, visitorId, ttlSeconds, secrets[0], now);
      const answer: SessionResponse = {
        token: await sign(
          isRemembered ? "waggle-session" : "waggle-visit-session",
          settings.SESSION_TTL_SECONDS,
        ),
        expiresAt: new Date(now + settings.SESSION_TTL_SECONDS * 1000).toISOString(),
        visitorId,
        visitorToken: await sign(
          audience,
          isRemembered ? settings.VISITOR_TTL_DAYS * DAY_SECONDS : VISIT_SECONDS,
        ),
        channel: await channelOf(visitorId, settings.CANARY_SHARE),
      };
      return context.json(answer);
    },
  },
];
