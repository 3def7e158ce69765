/**
 * What `waggle.config.ts` says about a site. Plain data is written into it; code is named by `import`, so that the
 * page, the Worker and the trainer each bundle only the modules that they run.
 */
import type { PageTool } from "@waggle/agent/tools";
import type { EnvironmentSpec, RewardFunction } from "@waggle/environments";
import type {
  CollectionLevel,
  ReleaseSetting,
  SiteMetrics,
  SiteSettings,
  Tool,
} from "@waggle/protocol";
import type { PanelText } from "./panel-text.ts";

/** A module that is loaded only where it runs: a function that imports it. Its default export counts. */
type CodeOf<T> = () => Promise<{ readonly default: T }>;

/** Languages that the assistant has texts for. */
export const LANGUAGES = ["en", "de", "fr"] as const;
type LanguageCode = (typeof LANGUAGES)[number];

/** A text that visitors read. A site with several languages has it in each of them. */
export type VisitorText = string | { readonly [code in LanguageCode]?: string };

/** Limits that a site can set: names of `SiteSettings`. `0` is no limit. */
export const LIMITS = [
  "rateLimitPerMinute",
  "prefixRateLimitPerMinute",
  "sessionsPerMinute",
  "outcomesPerMinute",
  "groupSlotsPerVisitor",
  "groupSlotsPerPrefix",
  "unansweredPerVisitor",
  "unansweredPerPrefix",
  "visitorBytesPerHour",
  "prefixBytesPerHour",
] as const;

/** Texts that visitors read, as a list. A site with several languages has a list for each of them. */
export type VisitorTexts =
  | readonly string[]
  | { readonly [code in LanguageCode]?: readonly string[] };

/** A site. */
export type SiteDefinition = {
  /** Lower-case letters, digits and hyphens. Names the site's key, models and state folders. */
  readonly id: string;
  /** What people read. */
  readonly name: string;
  /** System message of the assistant. It must be the environment's, if there is one. */
  readonly prompt: string;

  /** Tools that run in the page: the result of `definePageTools`. */
  readonly tools?: CodeOf<readonly PageTool[]>;
  /** Tools that run in the edge Worker: the result of `defineEdgeTools`. */
  readonly edgeTools?: CodeOf<readonly Tool[]>;
  /**
   * MCP servers that the page calls over Streamable HTTP. They must allow the page's origin (CORS), and visitors can
   * read the addresses.
   */
  readonly mcpServers?: readonly {
    readonly url: string;
    /** Names of the server's tools that the model can call. */
    readonly tools: readonly string[];
  }[];
  /**
   * Smallest probability, from 0 to 1, at which a call that changes something runs without a question. See `confirm` of
   * a page tool. Default 0.5; 0 never asks, 1 always.
   */
  readonly confirmBelow?: number;
  /** Where the assistant practices and is evaluated: the result of `defineEnvironment`. */
  readonly environment?: CodeOf<EnvironmentSpec>;
  /**
   * What the assistant must still do although it does not practice it: another environment with the same prompt and tools.
   * The gate refuses a version that does worse than the base at its held-out tasks.
   */
  readonly retentionEnvironment?: CodeOf<EnvironmentSpec>;
  /** Reward of a rollout, in place of the environment's verdict. */
  readonly reward?: CodeOf<RewardFunction>;

  /** Where a built page finds its edge. `WAGGLE_EDGE_URL` and `WAGGLE_SITE_KEY` override it. */
  readonly edge?: {
    /** Default `http://localhost:8787`. */
    readonly url?: string;
    /** Public key of the site at this edge. Default: `local-` and the id. */
    readonly siteKey?: string;
    /**
     * Who signs the versions that its pages run. `keys`: public keys that `waggle publisher-key` prints. `site`: its id at
     * this edge, default `default`. `WAGGLE_PUBLISHER_KEYS` replaces the keys. Default: pages run what the edge serves.
     */
    readonly publisher?: { readonly keys: readonly string[]; readonly site?: string };
    /** Origins of its pages, such as `https://desk.example`, for a deployed edge. */
    readonly origins?: readonly string[];
    /** Limits at a deployed edge, which has defaults for the rest. */
    readonly limits?: Pick<SiteSettings, (typeof LIMITS)[number]>;
  };

  /** Folder of a model, relative to the config. Default: the base that `waggle base` makes. */
  readonly model?: string;
  /**
   * Whether the assistant can write only calls of its tools, with arguments that match their schemas, in pages and in
   * evaluations. Default true. Set it to false if the trainer's server cannot train under a mask.
   */
  readonly constrainToolCalls?: boolean;
  /** How `waggle base` makes a model from the environment's demonstrator. */
  readonly base?: {
    /**
     * The model that the base goes on from: `default`, or the folder of one that `train-base` made, relative to the config.
     * Such a base makes no mistakes on purpose. Default: the base starts from random weights.
     */
    readonly from?: string;
    readonly steps?: number;
    /** Error rate of the demonstrations, from 0 to 1. */
    readonly mistakes?: number;
    /** Share of demonstrations that always err in the same way, from 0 to 1. */
    readonly habits?: number;
  };
  /** How the trainer learns. */
  readonly training?: {
    /** A name of `waggle train-edge --list`. With `consent.collect: "rewards"`, always `evolution-strategies`. */
    readonly recipe?: string;
    /** The recipe's own settings. */
    readonly settings?: { readonly [name: string]: number | string | boolean };
    readonly groupsPerStep?: number;
    readonly epochs?: number;
    /** Learning steps between published versions. */
    readonly publishEvery?: number;
    /** Weight of the KL to the base model in the loss; 0 = none. Default 0.1. */
    readonly klCoefficient?: number;
    /** Largest drift from the base model in nats per token; a step beyond it is undone. 0 = no limit. Default 0.5. */
    readonly baseDrift?: number;
    /** Held-out tasks of each evaluation. */
    readonly evaluationTasks?: number;
    /**
     * Seconds that a visitor's own request waits for a thumb or an outcome. After them a trainer may learn from it, if the
     * recipe learns from feedback, as `signals-reinforce` does. Default 0: nothing learns from visitors' own requests.
     */
    readonly feedbackWaitSeconds?: number;
    /**
     * A judge that the trainer asks: a model on an OpenAI-compatible server. Its URL and key are in the trainer's environment
     * (`WAGGLE_JUDGE_URL`, `WAGGLE_JUDGE_KEY`). Default: none.
     */
    readonly judge?: {
      /** Name of the model. */
      readonly model?: string;
      /** Replies to each question, of which more than half must agree. Default 3. */
      readonly votes?: number;
      /** Whether it says what visitors' next messages mean. Needs a recipe that reads messages. */
      readonly messages?: boolean;
      /**
       * Number of new trials at each request of a visitor, which the judge ranks. Needs a recipe that learns from groups,
       * and no `feedbackWaitSeconds`. Default: requests are not tried again.
       */
      readonly requestTrials?: number;
      /**
       * Tools that change nothing. The record answers their calls in any order; other calls only after the same changes.
       * Default: none.
       */
      readonly readOnlyTools?: readonly string[];
      /**
       * For a site without an environment: number of visitors' requests at which it compares the answers of each new version
       * with those of the stable one. Worse answers are not published. At least `gate.minTasks`, and better twice as many.
       * Default: answers are not compared.
       */
      readonly comparisons?: number;
    };
  };
  /** When the edge serves a new version. */
  readonly gate?: {
    /** Smallest number of frozen tasks in an evaluation. */
    readonly minTasks?: number;
    /** Largest fall of the success rate that can pass, from 0 to 1. */
    readonly margin?: number;
    /** A smaller fall is refused if its paired p-value is below this. */
    readonly significance?: number;
    /** Number of tasks of `retentionEnvironment` in an evaluation, at most 1000. Default 100. */
    readonly retentionTasks?: number;
    /** Largest fall on these tasks that always passes, from 0 to 1. Default 0.03. */
    readonly retentionMargin?: number;
    /**
     * Frozen tasks on which the probes for flattery, length, refusals, begging and neglect must have compared a version with
     * the base model; 0 turns the probes off. Default: `minTasks`, if the site has an environment.
     */
    readonly probeTasks?: number;
    /** Share of visitors on the canary channel while no release runs, from 0 to 1. */
    readonly canaryShare?: number;
    /**
     * Releases a version that passed to a growing share of visitors, and promotes it or rolls it back by this metric:
     * `thumb`, or one of `metrics`. `guardrails` must not fall, `responseRate` is the share of requests that
     * give a value of it, `horizon` is a number of requests, and each of `stages` has a share of visitors and the share of the
     * horizon for which it lasts. Default: the trainer promotes at once.
     */
    readonly release?: ReleaseSetting;
  };

  /**
   * What conversations lead to for the site, such as `booked: { type: "boolean", better: "higher" }`. A page reports
   * values with `agent.outcome`, the site's server with `POST /v1/outcomes`. A number has a `range`. `weight`, from 0 to
   * 1, is what a metric counts in a reward; default 1. With 0 nothing learns from it. `level` is what a value is about: one
   * `turn`, a `trajectory` (default) or a `conversation`. `gate.release` can decide by metrics.
   */
  readonly metrics?: SiteMetrics;

  /** What visitors are asked before their conversations are kept. */
  readonly consent?: {
    /** Change it when the text changes in meaning: visitors are then asked again. */
    readonly version: string;
    readonly title?: VisitorText;
    readonly text?: VisitorText;
    /** Days after which a visitor is asked again, and older consents count for nothing. Default 400. */
    readonly expiresAfterDays?: number;
    /** Days after which a visitor gets a new id. Default: the id lasts as long as the consent. */
    readonly pseudonymDays?: number;
    /** Whether a visitor chooses what the consent covers: keeping, training and feedback. Default false: all of it. */
    readonly choices?: boolean;
    /**
     * What is kept of visitors' own requests. `statistics`: counts, times, tool names and reasons, but no tokens and no text.
     * Nothing learns from them then. `rewards`: nothing, and of practice tasks one number each. Default `full`.
     */
    readonly collect?: CollectionLevel;
    /**
     * Whether a message that corrects or contradicts an answer is also sent as a text, redacted. For recipes that learn from
     * corrections. Default false: only the kind of the message is sent.
     */
    readonly shareCorrections?: boolean;
    /**
     * Whether every message after an answer is also sent as a text, redacted. For a judge that reads messages. Default false.
     */
    readonly shareMessages?: boolean;
  };
  /** What visitors read in the panel, besides the consent text. */
  readonly panel?: {
    /** Texts by the names of `PanelTexts` of `@waggle/embed/element`. The others keep the panel's text. */
    readonly texts?: { readonly [name in PanelText]?: VisitorText };
    /** Example requests, shown while the conversation is empty. */
    readonly suggestions?: VisitorTexts;
  };
  /** Personal data to replace, besides what the built-in rules find. */
  readonly redaction?: readonly {
    /** Placeholder of a match, such as `CUSTOMER_ID`. */
    readonly type: string;
    readonly pattern: RegExp;
  }[];
  /** How long data is kept. */
  readonly retention?: {
    /** Days until a visitor's id expires. */
    readonly visitorDays?: number;
    /** Days until a trajectory and its feedback are deleted. Default: never. */
    readonly trajectoryDays?: number;
  };
  /** Languages of the assistant. The first is used where a visitor's is not among them. Default `["en"]`. */
  readonly languages?: readonly LanguageCode[];
};

/** Returns the definition. It exists for the types; `loadSite` checks what types cannot. */
export function defineSite(site: SiteDefinition): SiteDefinition {
  return site;
}
