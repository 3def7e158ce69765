/** What answers in a page: a policy whose tokens are known, or a chat that only gives text. */
import { WaggleError } from "@waggle/protocol";
import type { Guide } from "@waggle/agent";
import type { ClientDescription, Policy, PolicyManifest, PolicyVersionId } from "@waggle/protocol";
import type { Chat } from "@waggle/runtime/chat";
import type { ChatFormat } from "@waggle/text";

export interface PolicyHost {
  readonly kind: "policy";
  /** True for the site's own policy: it follows the manifest, and its trajectories can be sent. */
  readonly followsSite: boolean;
  readonly policy: Policy;
  readonly chatFormat: ChatFormat;
  readonly client: ClientDescription;
  /** Content hash of the base model it runs. */
  readonly baseModel: string;
  /** What an attempt under a version is given to read; `null` for nothing. `key`: see `versionGuide`. */
  guide(version: PolicyVersionId, key: string): Guide | null;
  /** Whether a conversation that began under one version may go on under another. */
  startsAlike(from: PolicyVersionId, to: PolicyVersionId): boolean;
  /** Makes the manifest's version the current one. @throws where it belongs to another base model. */
  adopt(manifest: PolicyManifest): Promise<void>;
  dispose(): Promise<void>;
}

interface ChatHost {
  readonly kind: "chat";
  /** For people. */
  readonly name: string;
  readonly chat: Chat;
  dispose(): Promise<void>;
}

export type AgentHost = PolicyHost | ChatHost;

type HostProgress = {
  readonly loadedBytes: number;
  /** `null` while it is not known. */
  readonly totalBytes: number | null;
  readonly detail: string;
};

/** @param manifest - the newest of the site, or the last one that was seen; asked where it is needed. */
export type OpenHost = (
  manifest: () => Promise<PolicyManifest>,
  onProgress: (progress: HostProgress) => void,
) => Promise<AgentHost>;

/** The site's policy. @throws WaggleError `CAPABILITY_MISSING` where the page runs another model. */
export function requireSitePolicy(host: AgentHost): PolicyHost {
  if (host.kind === "policy" && host.followsSite) return host;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    "tasks of the edge must be done by the site's policy, got another model; choose the site's",
  );
}
