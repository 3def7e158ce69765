/** The site's policy with seeded noise in its adapter, beside the policy that answers the visitor. */
import { forwardingPolicy } from "@waggle/agent";
import type { EdgeSession, KeyValueStorage } from "@waggle/collector";
import { withPerturbation } from "@waggle/learning";
import { readSafetensors } from "@waggle/model";
import type { Adapter } from "@waggle/model";
import { sha256, WaggleError } from "@waggle/protocol";
import type { Perturbation, Policy, PolicyContext } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime";
import type { Publisher } from "../agent-options.ts";
import { acceptSigned } from "../publisher/accept-signed.ts";

/** Time limit for an adapter, which can have megabytes. */
const ADAPTER_MS = 120_000;

type Parts = {
  readonly session: EdgeSession;
  readonly storage: KeyValueStorage;
  readonly publisher: Publisher | undefined;
};

/** The adapter of the version that was last perturbed, which the next tasks perturb again. */
export class PerturbedAdapters {
  readonly #parts: Parts;
  #last: { readonly version: number; readonly adapter: Promise<Adapter> } | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The version's adapter plus the noise. @throws WaggleError `POLICY_VERSION_UNKNOWN` if the site has moved on. */
  async get(perturbation: Perturbation): Promise<Adapter> {
    const { policyVersion: version } = perturbation;
    if (this.#last?.version !== version) this.#last = { version, adapter: this.#load(version) };
    const { adapter } = this.#last;
    try {
      const { tensors, ...shape } = await adapter;
      return { ...shape, tensors: withPerturbation(tensors, perturbation) };
    } catch (error) {
      if (this.#last.adapter === adapter) this.#last = null;
      throw error;
    }
  }

  async #load(version: number): Promise<Adapter> {
    const { session, storage, publisher } = this.#parts;
    const accept = acceptSigned(publisher, storage);
    const published = await session.policyManifest();
    const manifest = accept === undefined ? published : await accept(published, () => undefined);
    const reference = manifest.policy.adapter;
    if (manifest.policy.version !== version || reference === null) {
      throw new WaggleError(
        "POLICY_VERSION_UNKNOWN",
        `the task is for version ${version}, and the site serves ${manifest.policy.version}; ask for another task`,
      );
    }
    const response = await session.request(`/v1/objects/${reference.sha256}`, {}, ADAPTER_MS);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if ((await sha256(bytes)) !== reference.sha256) {
      throw new WaggleError(
        "DIGEST_MISMATCH",
        `the edge answered HTTP ${response.status} with other bytes than the adapter of version ${version}`,
        { retryable: true },
      );
    }
    const { rank, alpha } = reference;
    return { rank, alpha, tensors: readSafetensors(bytes).tensors };
  }
}

/** Runs with a policy whose contexts all use this adapter. What the visitor's conversations use does not change. */
export async function withAdapter<T>(
  policy: AdaptivePolicy,
  adapterId: string,
  adapter: Adapter,
  run: (perturbed: Policy) => Promise<T>,
): Promise<T> {
  await policy.loadAdapter(adapterId, adapter);
  try {
    const createContext = async (): Promise<PolicyContext> => {
      const session = await policy.createContext();
      session.activate(adapterId);
      return session;
    };
    return await run(forwardingPolicy<Policy>(policy, { createContext }));
  } finally {
    await policy.unloadAdapter(adapterId);
  }
}
