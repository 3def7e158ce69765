/** Options of `createAgent`. */
import { defaultTurnTokens } from "@waggle/agent";
import type { RollOutLimits } from "@waggle/agent";
import type { McpOptions } from "@waggle/agent/mcp";
import type { Fetch, KeyValueStorage, RedactionRule, Schedule } from "@waggle/collector";
import type { CollectionLevel, Policy, Sampling } from "@waggle/protocol";
import type { BrowserDevice, WorkerHandle } from "@waggle/runtime";
import type { PageTool } from "@waggle/agent/tools";
import type { OpenHost } from "./agent-host.ts";
import type { AgentModel } from "./agent-model.ts";
import type { AgentTexts } from "./agent-texts.ts";

/** An MCP server that a page calls over Streamable HTTP. It must allow the page's origin (CORS). */
export type McpServer = {
  readonly url: string;
  /** Names of the server's tools that the model can call. */
  readonly tools: readonly string[];
  /** Sent with every request. Visitors can read them. A function is called each time, for tokens that expire. */
  readonly headers?: NonNullable<McpOptions["headers"]>;
};

/** Who signs the versions of a site. */
export type Publisher = {
  /** Public keys, in base64url. Each of them may have signed a version; two are needed while a key is replaced. */
  readonly keys: readonly string[];
  /** Id of the site at its edge. Default `default`. */
  readonly site?: string;
};

/** Options of `createAgent`; only `edgeUrl` and `siteKey` are required. */
export type AgentOptions = {
  /** Origin of the edge Worker. */
  readonly edgeUrl: string;
  /** Public key of this site at the edge. */
  readonly siteKey: string;
  /**
   * If set, the page runs only versions that one of these keys has signed, and none that is older than one it has seen.
   * Default: the page runs what the edge serves.
   */
  readonly publisher?: Publisher;
  /** Functions of the page that the model can call. Default: none. */
  readonly tools?: readonly PageTool[];
  /**
   * Names of tools that the site's edge serves and the model can call as well. Default: none, and then the
   * edge is not asked for its tools.
   */
  readonly edgeTools?: readonly string[];
  /** MCP servers that the page calls. Default: none, and then no code for MCP is loaded. */
  readonly mcpServers?: readonly McpServer[];
  /** System prompt. Default: empty. */
  readonly system?: string;
  readonly consent?: {
    /** Version of the consent text. Change it when the text changes in meaning. Default `2`. */
    readonly version: string;
    /** Days after which the visitor is asked again. Default 400. */
    readonly expiresAfterDays?: number;
    /** Days after which the visitor gets a new id. Default: the id lasts as long as the consent. */
    readonly pseudonymDays?: number;
    /** Whether the visitor chooses what the consent covers: keeping, training and feedback. Default false: all of it. */
    readonly choices?: boolean;
    /**
     * `statistics`: of visitors' own requests, the page sends counts, times, tool names and reasons, but no tokens and no
     * text. `rewards`: of practice tasks, the page sends one number each, and of requests nothing. Default `full`.
     */
    readonly collect?: CollectionLevel;
  };
  /** Replaces the sentences that the agent itself shows, for example to translate them. */
  readonly texts?: Partial<AgentTexts>;
  /**
   * Language of the tools' labels, questions and titles that have several, such as `de`. Default: the first of each.
   */
  readonly language?: string;
  /** Additional patterns of personal data to replace before the model reads the text. */
  readonly redactionRules?: readonly RedactionRule[];
  /**
   * Whether a message that corrects or contradicts an answer is also sent, redacted, as the text of the feedback on that
   * answer. For sites that learn from corrections; the consent text must say so. Default false: only the kind is sent.
   */
  readonly shareCorrections?: boolean;
  /**
   * Whether every message after an answer is also sent, redacted, as feedback on that answer. For sites whose trainer asks a
   * judge what messages say; the consent text must say so. Default false.
   */
  readonly shareMessages?: boolean;
  /** Default: the site's policy. */
  readonly model?: AgentModel;
  /** Default `auto`: WebGPU if there is a hardware adapter, otherwise WASM. */
  readonly device?: "auto" | BrowserDevice;
  /** Default: temperature 1 without truncation, which is best for training. */
  readonly sampling?: Omit<Sampling, "seed">;
  /**
   * Whether a grammar restricts tool calls to existing tools and their schemas, for visitors and in practice. Default
   * true. Models without grammars, such as the browser's own, write calls freely.
   */
  readonly constrainToolCalls?: boolean;
  /**
   * Smallest probability, from 0 to 1, at which a call that changes something runs without a question. It counts for
   * tools whose `confirm` is `"unsure"`, and for models with a `calibration.json`. Default 0.5; 0 never asks, 1 always.
   */
  readonly confirmBelow?: number;
  /**
   * Limits of one request. Default: two minutes, 8 turns of a quarter of the context each (128 to 512 tokens), and 3
   * equal turns one after another. Practice has the same limits, but may repeat turns.
   */
  readonly limits?: Partial<RollOutLimits>;
  /**
   * Smallest context length, in tokens, at which the policy also reads earlier requests. Smaller models were
   * trained on single requests and start fresh each time. Default 2048; 0 always remembers.
   */
  readonly rememberFrom?: number;
  /**
   * Interval in milliseconds at which a visible page checks for a newer policy. Default 60,000; 0 checks only when
   * the page becomes visible again.
   */
  readonly policyIntervalMs?: number;
  /**
   * URL of the folder that `waggle assets` writes, on this or another origin. The worker and the WASM file are loaded
   * from there. Default: from the files that the page's bundler wrote.
   */
  readonly assetsUrl?: string;
  /** Creates the policy's worker if the bundler cannot resolve the default one. */
  readonly createWorker?: (device: BrowserDevice) => WorkerHandle;
};

/** Dependencies that tests replace. Not part of the public interface. */
export type AgentParts = {
  readonly storage?: KeyValueStorage;
  readonly tabStorage?: KeyValueStorage;
  readonly fetch?: Fetch;
  readonly openHost?: OpenHost;
  readonly outboxName?: string;
  readonly seed?: () => number;
  /** Timer for the time limits on the edge's responses. */
  readonly schedule?: Schedule | undefined;
};

/** Limits of one request to this policy. */
export function requestLimits(
  options: Pick<AgentOptions, "limits">,
  policy: Pick<Policy, "contextLength">,
): RollOutLimits {
  return {
    maxTurns: 8,
    maxTokensPerTurn: defaultTurnTokens(policy.contextLength),
    timeoutMs: 120_000,
    maxRepeatedTurns: 3,
    ...options.limits,
  };
}
