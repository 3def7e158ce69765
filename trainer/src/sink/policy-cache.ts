/**
 * Policies that many runs of one process sample from, one a base model: opened once, without an adapter
 * whenever they are taken. onnxruntime's WebAssembly memory is not given back while a process lives (a
 * wait of its threads' mailbox holds it), so a policy for each run would add 45 MB a run.
 */
import type { AdapterStrategy, AdaptivePolicy } from "@waggle/runtime/node";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";

export class PolicyCache {
  readonly #kernels: "native" | "wasm";
  readonly #threads: number;
  readonly #policies = new Map<string, AdaptivePolicy>();

  constructor(kernels: "native" | "wasm", threads = 1) {
    this.#kernels = kernels;
    this.#threads = threads;
  }

  /**
   * For one run at a time; not to be disposed by it.
   *
   * @param strategy - `inputs` for runs that act a few tokens under each adapter; default the policy's own.
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
