/**
 * Signs what a trainer publishes with the publisher's key of the site: the base model, and every version that the edge
 * will serve. The edge never has the key.
 */
import {
  type BaseModelRequest,
  type ControlState,
  DEFAULT_SITE,
  type PoliciesResponse,
  type PolicySignature,
  type PolicyVersion,
  type PublishRequest,
  WaggleError,
} from "@waggle/protocol";
import { type SignedPolicy, signPolicy } from "@waggle/protocol/signing";

/** Most versions that a signature names. */
const MOST_NAMED = 64;

/** What signs. */
export type Publisher = {
  readonly privateKey: string;
  /** The site that signatures name. Pages of another site refuse them. */
  readonly site: string;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
};

/** The calls of an edge client that signing changes or needs. */
type PublishingClient = {
  setBaseModel(request: BaseModelRequest): Promise<void>;
  publish(request: PublishRequest): Promise<PolicyVersion>;
  policies(): Promise<PoliciesResponse>;
  control(): Promise<ControlState>;
};

/** The newest versions to which pages may return from `version`: those that were not rolled back. */
export function rollBackVersions(
  { policies }: Pick<PoliciesResponse, "policies">,
  version: number,
): number[] {
  return policies
    .filter((known) => known.status !== "rolled-back" && known.version !== version)
    .slice(0, MOST_NAMED)
    .map((known) => known.version);
}

/** A client that signs with this key and otherwise does what `edge` does. */
export function createSigningClient<T extends PublishingClient>(
  edge: T,
  { privateKey, site, clock = Date.now }: Publisher,
): T {
  let isChecked = false;
  const sign = async (
    policy: Omit<SignedPolicy, "site">,
    rollBackTo: readonly number[],
  ): Promise<PolicySignature> => {
    if (!isChecked) await requireSite(edge, site);
    isChecked = true;
    return signPolicy(
      privateKey,
      { ...policy, site },
      { signedAt: clock(), rollBackTo: [...rollBackTo] },
    );
  };
  return {
    ...edge,
    async setBaseModel(request: BaseModelRequest) {
      const base = { version: 0, parent: null, baseModel: request.baseModel.sha256, adapter: null };
      return edge.setBaseModel({ ...request, signature: await sign(base, []) });
    },
    async publish(request: PublishRequest) {
      // A candidate that failed is never served.
      if (request.status === "rolled-back") return edge.publish(request);
      const policies = await edge.policies();
      // The edge gives this number, or refuses because its policies have changed.
      const version = newestOf(policies) + 1;
      const signature = await sign({ ...request, version }, rollBackVersions(policies, version));
      return edge.publish({ ...request, signature });
    },
  };
}

function newestOf({ newest, policies }: PoliciesResponse): number {
  return newest ?? Math.max(0, ...policies.map(({ version }) => version));
}

/** @throws WaggleError `INVALID_ARGUMENT` if the credential opens another site than the one that is signed for */
export async function requireSite(
  edge: Pick<PublishingClient, "control">,
  site: string,
): Promise<void> {
  const { site: served = DEFAULT_SITE } = await edge.control();
  if (served === site) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `this credential opens the site ${served}, but the signature would name ${site}; pass --site ${served}`,
  );
}
