/** Sessions of pages: exchanges a public site key for a short-lived token. */
import { SessionRequest, SessionResponse, WaggleError } from "@waggle/protocol";
import { countRequest, prefixKey } from "../access.ts";
import { addressPrefix } from "../address-prefix.ts";
import { readJson } from "../body.ts";
import type { Endpoint } from "../endpoint.ts";
import { isForgotten } from "../forgotten-store.ts";
import { canaryShare } from "../releases/release-store.ts";
import { type Audience, channelOf, signToken, siteKeyName, verifyToken } from "../session-token.ts";
import { sessionSecrets } from "../settings.ts";
import { enterSite } from "../sites/enter-site.ts";
import { giveSeeds } from "../visitors/request-seeds.ts";
import { requireEnabled, siteDirectory } from "../sites/site-directory.ts";

const DAY_SECONDS = 86_400;
/** Lifetime of a visit without consent. Its id is only in the page's memory, and no visit is longer. */
const VISIT_SECONDS = DAY_SECONDS;

/** `POST /v1/sessions`. */
export const sessionEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/sessions",
    operationId: "createSession",
    summary:
      "Opens a session. A valid visitor token keeps the visitor; any other creates a new one. " +
      "`remember: false` opens it for one visit, for which nothing is stored.",
    access: "public",
    request: SessionRequest,
    responses: { 200: SessionResponse },
    handle: async (context) => {
      const { now } = context.var;
      const request = await readJson(context.req.raw, SessionRequest);
      const site = (await siteDirectory(context.env)).byKey.get(request.siteKey);
      if (site !== undefined) enterSite(context, site);
      const { settings } = context.var;
      const { id } = context.var.site;
      const prefix = await addressPrefix(context.req.raw, settings.SESSION_SECRET, id);
      // Requests with an unknown key must not use up what a site's own pages may ask for.
      const counted = prefixKey(site === undefined ? "unknown-keys" : "sessions", prefix);
      await countRequest(context, counted, settings.SESSIONS_PER_MINUTE);
      if (site === undefined) {
        throw new WaggleError(
          "SITE_UNKNOWN",
          "unknown site key; see SITE_KEYS and the edge's sites",
        );
      }
      requireEnabled(site);
      // Pages of the first release do not send it; they have a visitor token.
      const isRemembered = request.remember ?? true;
      const audience = isRemembered ? "waggle-visitor" : "waggle-visit";
      const secrets = sessionSecrets(settings);
      const known =
        request.visitorToken === undefined
          ? null
          : await verifyToken(audience, request.visitorToken, secrets);
      // A forgotten visitor becomes a new one, and so does a visitor of another site.
      const isKnown = known?.site === id && !(await isForgotten(context.var.db, known.visitorId));
      const visitorId = isKnown ? known.visitorId : crypto.randomUUID();
      const sign = (kind: Audience, ttlSeconds: number, siteKey?: string) =>
        signToken(kind, { site: id, visitorId, siteKey }, ttlSeconds, secrets[0], now);
      const answer: SessionResponse = {
        token: await sign(
          isRemembered ? "waggle-session" : "waggle-visit-session",
          settings.SESSION_TTL_SECONDS,
          await siteKeyName(request.siteKey),
        ),
        expiresAt: new Date(now + settings.SESSION_TTL_SECONDS * 1000).toISOString(),
        visitorId,
        visitorToken: await sign(
          audience,
          isRemembered ? settings.VISITOR_TTL_DAYS * DAY_SECONDS : VISIT_SECONDS,
        ),
        channel: await channelOf(visitorId, await canaryShare(context.var.db, settings)),
        ...(isRemembered && { requestSeeds: await giveSeeds(context.var.db, visitorId, now) }),
      };
      return context.json(answer);
    },
  },
];
