/** A model that answers in a page: a policy that exposes its tokens, or a chat that returns only text. */
import { WaggleError } from "@waggle/protocol";
import type { Guide } from "@waggle/agent";
import type { CalibrationMap } from "@waggle/evaluation";
import type { ClientDescription, PolicyManifest, PolicyVersionId } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime";
import type { ChatFormat } from "@waggle/text";
import type { ChatConversation, ChatConversationOptions } from "./chat-conversation.ts";

/** A policy with known tokens, so that its rollouts can be recorded. */
export interface PolicyHost {
  readonly kind: "policy";
  /** True for the site's own policy, which follows the manifest and whose trajectories may be uploaded. */
  readonly followsSite: boolean;
  readonly policy: AdaptivePolicy;
  readonly chatFormat: ChatFormat;
  readonly client: ClientDescription;
  /** Content hash of the base model that is loaded. */
  readonly baseModel: string;
  /** From the confidence of a turn's calls to the probability that they are right; `null` = unknown. */
  readonly calibration: CalibrationMap | null;
  /** Guidance that a rollout under this version reads first; `null` for none. For `key`, see `versionGuide`. */
  guide(version: PolicyVersionId, key: string): Guide | null;
  /** Whether a conversation that started under one version can continue under another. */
  startsAlike(from: PolicyVersionId, to: PolicyVersionId): boolean;
  /** Makes the manifest's version current. @throws if it belongs to another base model. */
  adopt(manifest: PolicyManifest): Promise<void>;
  dispose(): Promise<void>;
}

interface ChatHost {
  readonly kind: "chat";
  /** Display name. */
  readonly name: string;
  /** Starts an empty conversation. */
  createConversation(options: Omit<ChatConversationOptions, "chat">): ChatConversation;
  dispose(): Promise<void>;
}

/** Either kind of host; `kind` tells them apart. */
export type AgentHost = PolicyHost | ChatHost;

type HostProgress = {
  readonly loadedBytes: number;
  /** `null` while unknown. */
  readonly totalBytes: number | null;
  readonly detail: string;
};

/** Loads a host. @param manifest - reads the newest manifest, or the stored one; called only if the host needs it. */
export type OpenHost = (
  manifest: () => Promise<PolicyManifest>,
  onProgress: (progress: HostProgress) => void,
) => Promise<AgentHost>;

/** Narrows to the site's policy. @throws WaggleError `CAPABILITY_MISSING` if the page runs another model. */
export function requireSitePolicy(host: AgentHost): PolicyHost {
  if (host.kind === "policy" && host.followsSite) return host;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    "only the site's policy can work on tasks of the edge, and this page runs another model; switch to the site's model",
  );
}
