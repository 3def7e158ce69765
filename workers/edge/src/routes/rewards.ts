/** Rewards of perturbed policies: pages send them, and the trainer reads those of a version. */
import { RewardRequest, RewardsResponse, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { requireConsent } from "../access.ts";
import { networkName } from "../address-prefix.ts";
import { readJson } from "../body.ts";
import type { EdgeContext, Endpoint, Parameter } from "../endpoint.ts";
import { rewardsOf, storeReward } from "../rewards/reward-store.ts";
import { requireRewardConsent } from "../visitors/feedback-consent.ts";

const version: Parameter = {
  name: "version",
  in: "query",
  description: "The version whose perturbations the rewards are about.",
  schema: z.int().min(0),
};

/** The version in the query; `null` if there is none. @throws WaggleError `SCHEMA_INVALID` */
export function versionIn(context: EdgeContext): number | null {
  const asked = context.req.query("version");
  if (asked === undefined) return null;
  const parsed = z.coerce.number().int().min(0).max(0x7fff_ffff).safeParse(asked);
  if (parsed.success && asked !== "") return parsed.data;
  throw new WaggleError("SCHEMA_INVALID", "version must be the number of a version, such as 3");
}

/** @throws WaggleError `FORBIDDEN` if the site collects something else */
function requireRewards({ var: { settings } }: EdgeContext): void {
  if (settings.COLLECT === "rewards") return;
  throw new WaggleError(
    "FORBIDDEN",
    `this site collects ${settings.COLLECT === "full" ? "trajectories" : settings.COLLECT}, not rewards; set consent.collect to "rewards" in waggle.config.ts, or COLLECT of the edge`,
  );
}

/** `POST /v1/rewards` and `GET /v1/trainer/rewards`. */
export const rewardEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/rewards",
    operationId: "giveReward",
    summary:
      "Stores the reward of an assigned perturbation; idempotent. The visitor needs a receipt of a consent.",
    access: "session",
    request: RewardRequest,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const { db, now, session, settings, site } = context.var;
      const { visitorId } = requireConsent(session);
      requireRewards(context);
      const request = await readJson(context.req.raw, RewardRequest);
      await requireRewardConsent(db, visitorId, settings, now);
      const network = await networkName(context.req.raw, settings.SESSION_SECRET, site.id);
      await storeReward(db, visitorId, request, network, now);
      return context.json({});
    },
  },
  {
    method: "get",
    path: "/v1/trainer/rewards",
    operationId: "listRewards",
    summary:
      "The newest 4096 rewards of perturbations of one version, oldest first, of visitors whose consents hold.",
    access: "trainer",
    parameters: [version],
    responses: { 200: RewardsResponse },
    handle: async (context) => {
      requireRewards(context);
      const asked = versionIn(context);
      if (asked === null) throw new WaggleError("SCHEMA_INVALID", "name a version: ?version=3");
      const { db, now, settings } = context.var;
      const { CONSENT_DAYS } = settings;
      return context.json(await rewardsOf(db, asked, { CONSENT_DAYS, now }));
    },
  },
];
