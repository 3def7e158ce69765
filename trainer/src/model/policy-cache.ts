/**
 * Policies shared by many runs of one process, one per base model. Each is opened once and returned
 * without an adapter. onnxruntime never frees its WebAssembly memory while a process lives (a wait of
 * its threads' mailbox keeps it), so a policy for each run would leak 45 MB per run.
 */
import type { AdapterStrategy, AdaptivePolicy } from "@waggle/runtime/node";
import type { BaseModel } from "./base-model.ts";
import { openPolicy } from "./open-model.ts";

/** Sampling policies by base model, opened on first use. */
export class PolicyCache {
  readonly #kernels: "native" | "wasm";
  readonly #threads: number;
  readonly #policies = new Map<string, AdaptivePolicy>();

  constructor(kernels: "native" | "wasm", threads = 1) {
    this.#kernels = kernels;
    this.#threads = threads;
  }

  /**
   * Returns a policy for one run at a time; the run must not dispose of it.
   *
   * @param strategy - `inputs` for runs that sample only a few tokens under each adapter; default
   * the policy's own.
   */
  async take(model: BaseModel, strategy?: AdapterStrategy): Promise<AdaptivePolicy> {
    const key = `${model.reference.sha256} ${strategy ?? ""}`;
    const known = this.#policies.get(key);
    if (known !== undefined) {
      await known.setAdapter(0, null);
      return known;
    }
    const policy = await openPolicy(model, this.#threads, this.#kernels, strategy);
    this.#policies.set(key, policy);
    return policy;
  }

  async dispose(): Promise<void> {
    for (const policy of this.#policies.values()) await policy.dispose();
    this.#policies.clear();
  }
}
