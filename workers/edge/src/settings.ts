/**
 * Bindings and variables of the Worker. Secrets have no defaults: a Worker without them answers every request
 * with an error, because running without credentials would expose all data.
 */
import {
  CollectionLevel,
  CONSENT_DAYS,
  FeedbackSource,
  releaseRefusal,
  ReleaseSetting,
  SiteMetrics,
  WaggleError,
} from "@waggle/protocol";
import { z } from "zod";

/** Bindings from wrangler. Variables are strings, which `readSettings` validates. */
export type Bindings = {
  readonly DB: D1Database;
  readonly OBJECTS: R2Bucket;
  readonly UPLOADS: Queue<UploadPointer>;
  /** Namespace of `Coordinator`. `coordinatorOf` adds the type, so that the class can import this file. */
  readonly COORDINATOR: DurableObjectNamespace;
  readonly RATE_LIMITER: DurableObjectNamespace;
};

/** A message of the Queue. It only triggers placement; the row in D1 is authoritative. */
export type UploadPointer = {
  readonly digest: string;
  /** Absent from messages of the release before there were sites. */
  readonly site?: string;
};

const names = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);

const list = names.refine(
  (parts) => parts.length > 0,
  "must name at least one, separated by commas",
);

const whole = (fallback: number, least = 1) => z.coerce.number().int().min(least).default(fallback);

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: "custom", message: "must be JSON" });
    return z.NEVER;
  }
});

const MEBIBYTE = 1024 * 1024;

const Settings = z
  .object({
    SITE_KEYS: list,
    SESSION_SECRET: z.string().min(32, "must have at least 32 characters"),
    /**
     * To rotate the secret, set this to the old value and SESSION_SECRET to the new one. Tokens signed with the
     * old secret stay valid until this is removed; wait at least VISITOR_TTL_DAYS.
     */
    SESSION_SECRET_PREVIOUS: z.string().min(32, "must have at least 32 characters").optional(),
    TRAINER_CREDENTIAL: z.string().min(16, "must have at least 16 characters"),
    OPERATOR_CREDENTIAL: z.string().min(16, "must have at least 16 characters"),
    /** To rotate a credential, set this to the old value. Both are valid until this is removed. */
    TRAINER_CREDENTIAL_PREVIOUS: z.string().min(16, "must have at least 16 characters").optional(),
    OPERATOR_CREDENTIAL_PREVIOUS: z.string().min(16, "must have at least 16 characters").optional(),
    /** Origins of pages, or `*`. */
    ALLOWED_ORIGINS: list,
    /** Sites whose tools the site `default` has too, separated by commas. See `createWorker`. */
    EDGE_TOOLS: names.default([]),
    /** Public keys of the site's publisher, separated by commas. Without any, versions need no signature. */
    PUBLISHER_KEYS: names.default([]),
    /** Environment of the tasks that are assigned; empty = no tasks. */
    TASK_ENVIRONMENT: z.string().default(""),
    /** Metrics of outcomes, as JSON: see `SiteMetrics`. */
    METRICS: json.pipe(SiteMetrics).default({}),
    /** First train seed. The counter starts here. */
    TASK_SEED_START: whole(1_000_000, 0),
    GROUP_SIZE: whole(8),
    /** Seconds until an incomplete group is leased. After a third of them an unanswered slot is given away. */
    GROUP_DEADLINE_SECONDS: whole(90),
    /** Assigned groups that may be unfinished before new ones are withheld; 0 = no limit. */
    MAX_UNFINISHED_GROUPS: whole(32, 0),
    /**
     * Slots of one group that a visitor may hold; 0 = no limit. Without a limit, fewer pages than slots can fill
     * a group, as on a laptop. Production sets 1.
     */
    GROUP_SLOTS_PER_VISITOR: whole(0, 0),
    /** Slots of one group that an address prefix (/24 or /64) may hold; 0 = no limit. */
    GROUP_SLOTS_PER_PREFIX: whole(0, 0),
    /**
     * Tasks that a visitor may leave unanswered; 0 = no limit. The count falls to 0 in ten minutes. Each answer
     * allows two more, up to four times this number at a time.
     */
    UNANSWERED_PER_VISITOR: whole(16, 0),
    /** The same for an address prefix. All pages on a laptop share one prefix, so there is no limit there. */
    UNANSWERED_PER_PREFIX: whole(0, 0),
    /**
     * Seconds that a visitor's own request waits for feedback. A trainer then leases it, if it has some.
     * 0: trainers lease such requests at once, and learn nothing from them.
     */
    FEEDBACK_WAIT_SECONDS: whole(0, 0),
    /** What ends the waiting, separated by commas: `thumb`, `outcome`, `message`. */
    FEEDBACK_FROM: list.pipe(z.array(FeedbackSource)).default(["thumb"]),
    SESSION_TTL_SECONDS: whole(900, 30),
    VISITOR_TTL_DAYS: whole(400),
    /** Days until a trajectory and its feedback are deleted; 0 = never. */
    RETENTION_DAYS: whole(0, 0),
    /** Days that a visitor's consent holds. Records under an older one are refused. */
    CONSENT_DAYS: whole(CONSENT_DAYS),
    /** What is stored. `statistics`: no tokens and no text of visitors' own requests. `rewards`: no trajectories. */
    COLLECT: CollectionLevel.default("full"),
    /** Standard deviation of the noise that pages add to a policy, where the site collects rewards. */
    PERTURBATION_SCALE: z.coerce.number().positive().max(1).default(0.1),
    /** Share of visitors on the canary channel, in [0, 1]. */
    CANARY_SHARE: z.coerce.number().min(0).max(1).default(0.5),
    /** Requests per minute and visitor; 0 = no limit. */
    RATE_LIMIT_PER_MINUTE: whole(6000, 0),
    /** Requests with a session per minute and address prefix; 0 = no limit. */
    PREFIX_RATE_LIMIT_PER_MINUTE: whole(0, 0),
    /** Sessions that an address prefix may open per minute; 0 = no limit. */
    SESSIONS_PER_MINUTE: whole(600, 0),
    /** Outcomes of the site's own server per minute; 0 = no limit. */
    OUTCOMES_PER_MINUTE: whole(6000, 0),
    /** Frozen tasks that an evaluation needs before its version is served. */
    GATE_MIN_TASKS: whole(64),
    /** Largest drop of the success rate on frozen tasks that is attributed to noise. */
    GATE_MARGIN: z.coerce.number().min(0).max(1).default(0.03),
    /** Paired p-value below which a drop is considered real. */
    GATE_SIGNIFICANCE: z.coerce.number().min(0).max(1).default(0.05),
    /** Retention tasks that an evaluation needs; 0 = none. */
    GATE_RETENTION_TASKS: z.coerce.number().int().min(0).max(1000).default(0),
    /** Largest fall on the retention tasks, as a share of them, that always passes. */
    GATE_RETENTION_MARGIN: z.coerce.number().min(0).max(1).default(0.03),
    /** Frozen tasks that the probes of an evaluation must have compared; 0 = no probes. */
    GATE_PROBE_TASKS: whole(0, 0),
    /** How candidates are released, as JSON: see `ReleaseSetting`; `null` = the trainer promotes them at once. */
    GATE_RELEASE: json.pipe(ReleaseSetting.nullable()).default(null),
    /** Leases that may end without an outcome before a trajectory becomes a dead letter. */
    MAX_LEASE_FAILURES: whole(5),
    /** Decoded bytes of trajectories that one group may hold; 0 = no limit. */
    GROUP_BYTES: whole(8 * MEBIBYTE, 0),
    /** Decoded bytes that one visitor may upload per hour; 0 = no limit. */
    VISITOR_BYTES_PER_HOUR: whole(512 * MEBIBYTE, 0),
    /** The same for an address prefix (/24, /64), which many visitors may share. */
    PREFIX_BYTES_PER_HOUR: whole(2048 * MEBIBYTE, 0),
    /** A row that waits longer than this for the Queue's consumer is enqueued again. */
    STALE_ROW_SECONDS: whole(30),
  })
  .check(({ value, issues }) => {
    const operators = installationCredentials(value, "operator");
    if (!installationCredentials(value, "trainer").some((one) => operators.includes(one))) return;
    const message = "must differ from TRAINER_CREDENTIAL and its previous value";
    issues.push({ code: "custom", path: ["OPERATOR_CREDENTIAL"], message, input: undefined });
  })
  .check(({ value: { GATE_RELEASE, METRICS }, issues }) => {
    const message = GATE_RELEASE && releaseRefusal(GATE_RELEASE, METRICS);
    if (message === null) return;
    issues.push({ code: "custom", path: ["GATE_RELEASE"], message, input: GATE_RELEASE });
  })
  .refine((s) => s.SESSION_SECRET !== s.SESSION_SECRET_PREVIOUS, {
    path: ["SESSION_SECRET_PREVIOUS"],
    message: "must differ from SESSION_SECRET",
  });

export type Settings = z.infer<typeof Settings>;

/** The credentials of the installation that are valid for a role. */
export function installationCredentials(
  settings: {
    readonly [name in "TRAINER_CREDENTIAL" | "OPERATOR_CREDENTIAL"]: string;
  } & {
    readonly [name in "TRAINER_CREDENTIAL_PREVIOUS" | "OPERATOR_CREDENTIAL_PREVIOUS"]?:
      | string
      | undefined;
  },
  role: "trainer" | "operator",
): readonly string[] {
  const [current, previous] =
    role === "trainer"
      ? [settings.TRAINER_CREDENTIAL, settings.TRAINER_CREDENTIAL_PREVIOUS]
      : [settings.OPERATOR_CREDENTIAL, settings.OPERATOR_CREDENTIAL_PREVIOUS];
  return previous === undefined ? [current] : [current, previous];
}

/** Secrets whose tokens are valid; the first one signs. */
export function sessionSecrets(settings: Settings): readonly [string, ...string[]] {
  const { SESSION_SECRET, SESSION_SECRET_PREVIOUS } = settings;
  return SESSION_SECRET_PREVIOUS === undefined
    ? [SESSION_SECRET]
    : [SESSION_SECRET, SESSION_SECRET_PREVIOUS];
}

const cache = new WeakMap<object, Settings>();

/**
 * Validates the variables of an environment.
 * @throws WaggleError `INTERNAL` that names invalid variables, never their values.
 */
export function readSettings(env: object): Settings {
  const known = cache.get(env);
  if (known) return known;
  const parsed = Settings.safeParse(env);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((i) => `${i.path.join(".")}: ${i.message}`);
    throw new WaggleError(
      "INTERNAL",
      `the Worker is not configured: ${faults.join("; ")} (see workers/edge/wrangler.jsonc)`,
    );
  }
  cache.set(env, parsed.data);
  return parsed.data;
}
