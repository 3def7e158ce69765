/**
 * Sites of an installation. Each has its own keys, origins, credentials, tasks, policies and limits. Sites are data
 * that operators change under `/v1/operator/sites` with the installation's credential. The site `default` always
 * exists, and the edge Worker's variables are its settings where nothing is stored.
 */
import { z } from "zod";
import { CollectionLevel } from "./consent/consent.ts";
import { FeedbackSource } from "./feedback.ts";
import { SiteMetrics } from "./outcome.ts";
import { Sha256 } from "./policy-version.ts";
import { ReleaseSetting } from "./release.ts";

/** In place of an id on a trainer's command line: every enabled site. */
export const ALL_SITES = "all";

/** Header in which a caller with the installation's credential names a site. Without it: `default`. */
export const SITE_HEADER = "X-Waggle-Site";

/** Id of a site. */
export type SiteId = z.infer<typeof SiteId>;
export const SiteId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,38}$/,
    "must have 1 to 39 lower-case letters, digits and hyphens, and not begin with a hyphen",
  );

/** Public key of a site's publisher: Ed25519, in base64url. */
const PublisherKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, "must be a public key as `waggle publisher-key` prints it");

const whole = (least: number) => z.int().min(least).optional();
const share = z.number().min(0).max(1).optional();
const Texts = z.array(z.string().min(1).max(256)).max(64);

/**
 * Settings of a site. Each is named after a variable of the Worker, in camel case. An absent setting has the variable's
 * value. The variables for keys, origins, tools, metrics, releases and the environment apply to `default` only.
 */
export type SiteSettings = z.infer<typeof SiteSettings>;
export const SiteSettings = z.strictObject({
  siteKeys: z.array(z.string().min(1).max(128)).max(64).optional(),
  allowedOrigins: Texts.optional(),
  edgeTools: Texts.optional(),
  publisherKeys: z.array(PublisherKey).max(4).optional(),
  taskEnvironment: z.string().min(1).max(128).optional(),
  metrics: SiteMetrics.optional(),
  taskSeedStart: whole(0),
  groupSize: whole(1),
  groupDeadlineSeconds: whole(1),
  maxUnfinishedGroups: whole(0),
  groupSlotsPerVisitor: whole(0),
  groupSlotsPerPrefix: whole(0),
  unansweredPerVisitor: whole(0),
  unansweredPerPrefix: whole(0),
  feedbackWaitSeconds: whole(0),
  feedbackFrom: z.array(FeedbackSource).min(1).optional(),
  sessionTtlSeconds: whole(30),
  visitorTtlDays: whole(1),
  retentionDays: whole(0),
  consentDays: whole(1),
  collect: CollectionLevel.optional(),
  perturbationScale: z.number().positive().max(1).optional(),
  canaryShare: share,
  rateLimitPerMinute: whole(0),
  prefixRateLimitPerMinute: whole(0),
  sessionsPerMinute: whole(0),
  outcomesPerMinute: whole(0),
  gateMinTasks: whole(1),
  gateMargin: share,
  gateSignificance: share,
  gateRetentionTasks: z.int().min(0).max(1000).optional(),
  gateRetentionMargin: share,
  gateProbeTasks: whole(0),
  gateRelease: ReleaseSetting.optional(),
  maxLeaseFailures: whole(1),
  groupBytes: whole(0),
  visitorBytesPerHour: whole(0),
  prefixBytesPerHour: whole(0),
});

/** Name of the Worker's variable that is the default of a site's setting: `groupSize` is `GROUP_SIZE`. */
export function siteVariable(setting: string): string {
  return setting.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

const Name = z.string().min(1).max(128);

/** A site as an operator sees it. */
export type Site = z.infer<typeof Site>;
export const Site = z.object({
  id: SiteId,
  name: Name,
  /** `null` for the site `default`. */
  createdAt: z.iso.datetime().nullable(),
  /** `null` while the site is served. */
  disabledAt: z.iso.datetime().nullable(),
  /**
   * What the site sets itself. For `default`, also the Worker's variables where nothing is stored. Settings of later edges
   * are left out.
   */
  settings: z.object(SiteSettings.shape),
  /** Names of the settings that the site sets itself. Absent from edges that cannot change `default`. */
  stored: z.array(z.string()).optional(),
});

/** Answer of `GET /v1/operator/sites`: `default` first, then by id. */
export type SitesResponse = z.infer<typeof SitesResponse>;
export const SitesResponse = z.object({ sites: z.array(Site) });

/** A site as a trainer of the installation sees it. */
export type SiteToTrain = z.infer<typeof SiteToTrain>;
export const SiteToTrain = z.object({
  id: SiteId,
  /** Environment of the tasks that it assigns; `null` if it assigns none. */
  environment: z.string().nullable(),
  /** Hash of its base model; `null` before a trainer has registered one. */
  baseModel: Sha256.nullable(),
});

/** Answer of `GET /v1/trainer/sites`: the enabled sites, `default` first, then by id. */
export type SitesToTrainResponse = z.infer<typeof SitesToTrainResponse>;
export const SitesToTrainResponse = z.object({ sites: z.array(SiteToTrain) });

/** Body of `POST /v1/operator/sites`. Without site keys, the edge makes one. */
export type CreateSiteRequest = z.infer<typeof CreateSiteRequest>;
export const CreateSiteRequest = z.strictObject({
  id: SiteId.refine((id) => id !== ALL_SITES, {
    message: `must not be "${ALL_SITES}", which means every site`,
  }),
  name: Name.optional(),
  settings: SiteSettings.optional(),
});

/** Answer of `POST /v1/operator/sites`. The edge stores only hashes of the credentials and never shows them again. */
export type CreateSiteResponse = z.infer<typeof CreateSiteResponse>;
export const CreateSiteResponse = z.object({
  site: Site,
  trainerCredential: z.string(),
  operatorCredential: z.string(),
});

/** Body of `PUT /v1/operator/sites/:site`. Only named settings change; `null` removes one. The answer is the `Site`. */
export type ChangeSiteRequest = z.infer<typeof ChangeSiteRequest>;
export const ChangeSiteRequest = z.strictObject({
  name: Name.optional(),
  settings: z
    .partialRecord(SiteSettings.keyof(), z.unknown())
    .optional()
    .describe("Settings to change; null returns one to the Worker's value."),
});

/**
 * Body of `POST /v1/operator/sites/:site/credentials`. `outcomes`: that of the site's own server, which a new site does not
 * have; rotating makes it.
 */
export type RotateCredentialRequest = z.infer<typeof RotateCredentialRequest>;
export const RotateCredentialRequest = z.strictObject({
  role: z.enum(["trainer", "operator", "outcomes"]),
  /** Hours for which the previous credential still works. Default 0: it stops working at once. */
  overlapHours: z.int().min(0).max(168).optional(),
});

/** Answer of `POST /v1/operator/sites/:site/credentials`. */
export type RotateCredentialResponse = z.infer<typeof RotateCredentialResponse>;
export const RotateCredentialResponse = z.object({ credential: z.string() });
