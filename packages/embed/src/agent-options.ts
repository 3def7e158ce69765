/** What a page author may say about an agent. */
import { defaultTurnTokens } from "@waggle/agent";
import type { RollOutLimits } from "@waggle/agent";
import type { Fetch, KeyValueStorage, RedactionRule, Schedule } from "@waggle/collector";
import type { Policy, Sampling } from "@waggle/protocol";
import type { BrowserDevice, WorkerHandle } from "@waggle/runtime";
import type { PageTool } from "./page-tool.ts";
import type { OpenHost } from "./agent-host.ts";
import type { AgentModel } from "./agent-model.ts";
import type { AgentTexts } from "./agent-texts.ts";

export type AgentOptions = {
  /** Origin of the edge Worker. */
  readonly edgeUrl: string;
  /** Public key of this site at the edge. */
  readonly siteKey: string;
  /** What the assistant may do in the page. Default none. */
  readonly tools?: readonly PageTool[];
  /**
   * Names of tools of the site's edge that the assistant may call, too. Default none: then the edge is not
   * asked for any.
   */
  readonly edgeTools?: readonly string[];
  /** What the policy is told first. Default empty. */
  readonly system?: string;
  readonly consent?: {
    /** Version of the text that asks; change it when the text means something else. Default `2`. */
    readonly version: string;
  };
  /** What the agent itself says to visitors, for sites in another language. */
  readonly texts?: Partial<AgentTexts>;
  /** Personal data of this site, replaced before the model sees it, besides the built-in kinds. */
  readonly redactionRules?: readonly RedactionRule[];
  /** Default: the site's policy. */
  readonly model?: AgentModel;
  /** Default `auto`: WebGPU where there is a hardware adapter, else WASM. */
  readonly device?: "auto" | BrowserDevice;
  /** Default temperature 1 and full support, which the trainer can learn from best. */
  readonly sampling?: Omit<Sampling, "seed">;
  /**
   * Whether the model can only call the tools there are, as their schemas allow. Default: models of the
   * visitor's choice yes, the site's policy no, which learns from its mistakes.
   */
  readonly constrainToolCalls?: boolean;
  /** Of one request. Default 8 turns of a quarter of the context (128 to 512 tokens), two minutes. */
  readonly limits?: Partial<RollOutLimits>;
  /**
   * Policies with at least this context length read earlier requests too; others begin anew with each, since
   * models that small were never trained on more than one. Default 2048; 0 = always remember.
   */
  readonly rememberFrom?: number;
  /** How often a page that is seen asks for a newer policy. Default 60 s; 0 = when seen again. */
  readonly policyIntervalMs?: number;
  /** Makes the worker of the policy where a bundler cannot follow the default. */
  readonly createWorker?: (device: BrowserDevice) => WorkerHandle;
};

/** What a test replaces. Not part of the public interface. */
export type AgentParts = {
  readonly storage?: KeyValueStorage;
  readonly fetch?: Fetch;
  readonly openHost?: OpenHost;
  readonly outboxName?: string;
  readonly seed?: () => number;
  /** Of the time limits on the edge's answers. */
  readonly schedule?: Schedule | undefined;
};

/** Of one request to this policy. */
export function requestLimits(
  options: Pick<AgentOptions, "limits">,
  policy: Pick<Policy, "contextLength">,
): RollOutLimits {
  return {
    maxTurns: 8,
    maxTokensPerTurn: defaultTurnTokens(policy.contextLength),
    timeoutMs: 120_000,
    ...options.limits,
  };
}
