/** Requirements of the runtime: sessions, records, back ends, store, conventions. Pure data. */
import type { Requirement } from "./requirement.ts";

export const RUNTIME_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "runtime:recorded-equals-scored",
    source: "docs/design.md, decision 4",
    behavior:
      "Log-probs recorded by sampling agree with teacher-forced scoring to 1e-4, at every chunk size and kept set.",
    tests: [
      "packages/runtime/src/node/node-policy.test.ts > under temperature, top-k and top-p, over the recorded kept sets",
      "packages/runtime/src/node/node-policy.test.ts > over several turns that share one cache",
    ],
  },
  {
    id: "runtime:swap",
    source: "docs/design.md, The life of a trajectory, 6",
    behavior:
      "Swapping the adapter in a conversation drops the cache, so that scores equal the record. With the old cache they would not.",
    tests: [
      "packages/runtime/src/node/node-policy.test.ts > in the middle of a conversation leaves scores equal to the record",
      "packages/runtime/src/node/node-policy.test.ts > with the old keys and values kept, scores differ from the record",
      "packages/runtime/src/node/node-policy.test.ts > a context in progress keeps its version, which is freed with it",
    ],
  },
  {
    id: "runtime:sampler",
    source: "Holtzman et al. 2020, arXiv:1904.09751 (top-p)",
    behavior:
      "Seeded sampling by temperature, top-k and top-p agrees with a brute-force reference.",
    tests: [
      "packages/runtime/src/sampler.test.ts > equal those of a full sort",
      "packages/runtime/src/sampler.test.ts > under %s follow their recorded log-probs",
    ],
  },
  {
    id: "runtime:webgpu-wasm",
    source: "docs/design.md, The tree",
    behavior:
      "WebGPU and WASM give the same log-probs around every block size. The page shows which one it uses; a software adapter is used only on request.",
    tests: [
      "packages/runtime/src/browser-policy.browser.test.ts > WASM and WebGPU give the same log-probs at prefill lengths around every block",
      "packages/runtime/src/browser-policy.browser.test.ts > auto prefers WASM to a software adapter, and reports the number of threads",
    ],
  },
  {
    id: "runtime:store",
    source: "docs/design.md, The life of a trajectory, 1",
    behavior:
      "Models and adapters are loaded by content hash through the browser's storage, also offline.",
    tests: [
      "packages/runtime/src/store/model-store.test.ts > are fetched by hash, with progress in bytes up to the exact total",
      "packages/runtime/src/store/model-store.browser.test.ts > the page's own storage keeps a model for a second, offline load until it is pruned",
    ],
  },
  {
    id: "runtime:agreement",
    source: "docs/how-to/runtime.md, Where it runs",
    behavior:
      "Every back end agrees with a plain-loop decoder over prefills, rows, forks, groups, adapters and masks. Planted faults are detected.",
    tests: [
      "packages/runtime/src/agreement/backend-agreement.contract.ts > it reports its number format, and frees everything when disposed of",
      "packages/runtime/src/agreement/backend-agreement.test.ts > %s",
      "test/golden/decoder/plain-decoder.test.ts > the plain decoder gives PyTorch's logits of ${modelType} (${name})",
    ],
  },
  {
    id: "runtime:self-check",
    source: "docs/how-to/runtime.md, Where it runs",
    behavior:
      "A device is checked before its first use. One that computes wrongly is avoided or refused, never used.",
    tests: [
      "packages/runtime/src/agreement/self-check.test.ts > shortens runs if only long ones are wrong",
      "packages/runtime/src/agreement/self-check.test.ts > avoids subgroups if they are wrong",
      "packages/runtime/src/agreement/self-check.test.ts > refuses a device that fails",
      "packages/runtime/src/browser-policy.test.ts > a GPU that computes wrongly is refused, and auto uses WASM",
    ],
  },
  {
    id: "runtime:same-bits",
    source: "docs/evidence/appendix/runtime.md, The softmax of a token",
    behavior:
      "The weights and sums behind samples, scores and entropies have the same bits for the same logits in every browser, far within 1e-4 nats.",
    tests: [
      "packages/runtime/src/softmax-kernel.test.ts > have the same bits as plain loops of the same operations, whose rounding is defined",
      "packages/runtime/src/softmax-kernel.test.ts > are exact over the whole range of exponents, at a large vocabulary",
    ],
  },
  {
    id: "runtime:number-formats",
    source: "docs/evidence/appendix/runtime.md, Budgets of number formats",
    behavior:
      "f16, int8 and int4 stay within their budgets, converting ahead of time gives the same graph, and weights may be external.",
    tests: [
      "test/golden/decoder/dtypes.test.ts > ${modelType} in %s stays within its budget",
      "test/golden/decoder/options.test.ts > %s weights in several external files give the same logits",
      "packages/runtime/src/node/convert-model.test.ts > the graph of weights stored in %s equals that of the original bit for bit",
      "packages/runtime/src/node/node-policy.test.ts > f16, which CPUs do not support here, falls back to f32, and the record says so",
    ],
  },
  {
    id: "runtime:sessions",
    source: "docs/how-to/runtime.md, Sessions",
    behavior:
      "Sessions can be extended, forked at any token, scored, saved and restored, run side by side, in Node and across the worker. Every call can be aborted.",
    tests: [
      "packages/runtime/src/session/policy-session.test.ts > at %i continues like an independent session",
      "packages/runtime/src/session/policy-session.test.ts > a restored session continues with the same tokens, under its adapter",
      "packages/runtime/src/session/policy-session.test.ts > every call that takes time can be aborted, with the signal's reason",
      "packages/runtime/src/browser-session.browser.test.ts > branches, groups, scores, adapters and snapshots work through the worker",
    ],
  },
  {
    id: "runtime:fair",
    source: "docs/how-to/runtime.md, Sessions",
    behavior:
      "Sessions of one device share runs, none waits for more than one run of each other session, and sampling is the same as alone.",
    tests: [
      "packages/runtime/src/session/scheduler.test.ts > equals what it samples alone, regardless of other sessions and of how runs are split",
      "packages/runtime/src/session/scheduler.test.ts > no session waits longer than one run of each other session",
      "packages/runtime/src/session/scheduler.test.ts > sessions that sample concurrently share runs, and finished ones leave immediately",
    ],
  },
  {
    id: "runtime:quantized-kernels",
    source: "docs/decisions/0087-own-kernels-for-quantized-models.md",
    behavior:
      "int8 and int4 models run on our own WebAssembly kernels, with the records of the other backends. If a device computes wrongly on them, onnxruntime runs the model.",
    tests: [
      "packages/runtime/src/backend/simd/simd-backend.test.ts > reads weights stored in %s as they are",
      "packages/runtime/src/backend/simd/simd-backend.test.ts > forks share the pages of their prefix until one writes to them",
      "packages/runtime/src/backend/simd/simd-backend.test.ts > a run that memory refuses can be tried again",
      "packages/runtime/src/worker/wasm-worker-device.test.ts > a device that computes wrongly on these kernels uses onnxruntime",
      "packages/runtime/src/simd-policy.browser.test.ts > %s: the record says so, and scores equal it",
    ],
  },
  {
    id: "runtime:quick-start",
    source: "docs/decisions/0097-small-models-start-on-the-kernels.md",
    behavior:
      "A small model runs without onnxruntime, which is fetched only for models that need it, and once. The device is checked while the weights download, and once.",
    tests: [
      "packages/runtime/src/worker/wasm-worker-device.test.ts > onnxruntime's binary is fetched early for models that run on it, and for no other",
      "packages/runtime/src/worker/serve-policy.test.ts > a device that was checked while the model loaded is not checked again",
      "packages/runtime/src/early-worker.test.ts > the worker that waits learns the model's config, and one that was given does not",
      "packages/embed/src/policy-host.browser.test.ts > the worker starts before the manifest is there, learns the config first, and ends if a file does not come",
      "packages/runtime/src/backend/page-module.test.ts > a binary that is not served is named, and one that is served later is fetched and compiled once",
      "test/e2e/page-size.test.ts > a page whose model runs on onnxruntime fetches its binary once",
    ],
  },
  {
    id: "runtime:groups",
    source: "docs/how-to/runtime.md, Sessions",
    behavior:
      "A group prefills its prefix once. A branch can start at any token, including one of a running generation.",
    tests: [
      "packages/runtime/src/session/policy-session.test.ts > reads the prefix once, and its members sample together",
      "packages/runtime/src/session/policy-session.test.ts > of a running generation, at its last token, affects neither (answers later: %s)",
      "packages/runtime/src/browser-session.browser.test.ts > the record of a session grows during generation, and a branch sees it",
      "packages/runtime/src/backend/cpu/wasm-backend.test.ts > a group stores its prefix once and the weights once or twice, with equal tokens, beside another session",
      "packages/runtime/src/backend/webgpu/branch-steps.browser.test.ts > branches grow, sample, are disposed of, truncated and forked, and free their memory",
      "packages/runtime/src/backend/webgpu/branch-steps.browser.test.ts > a group of eight takes at most the memory of 1.6 runs plus its members' own positions",
      "packages/runtime/src/backend/webgpu/branch-steps.browser.test.ts > a model of more than 2 M parameters has one copy of its weights",
      "packages/model/src/graphs/decoder-graph.test.ts > weights of ${config.modelType} in a store are shared by a second graph, each matrix once",
      "packages/model/src/graphs/gpu-branches.test.ts > branches of sliding layers match the plain decoder only if their bias has the window (%s)",
    ],
  },
  {
    id: "runtime:records",
    source: "docs/how-to/runtime.md, Sessions",
    behavior:
      "Records contain what reproduces the distribution (kept sets or grammar), and sampled tokens follow it. A shifted distribution is detected.",
    tests: [
      "packages/runtime/src/session/policy-session.test.ts > score equals the record",
      "packages/runtime/src/session/grammar.test.ts > gives the same log-probs when replayed over the record (%o)",
      "packages/runtime/src/sampler.test.ts > under %s follow their recorded log-probs",
      "packages/runtime/src/sampler.test.ts > of another temperature are detected",
      "packages/runtime/src/backend/webgpu/gpu-sampler.browser.test.ts > drawn tokens follow the distribution, cut and whole, and not a shifted one",
    ],
  },
  {
    id: "runtime:adapters",
    source: "docs/how-to/runtime.md, Adapters",
    behavior:
      "PEFT adapters are loaded by URL and hash, are active per session at a strength, and a swap drops no frame.",
    tests: [
      "packages/runtime/src/fetch-adapter.test.ts > equals the published adapter",
      "packages/runtime/src/fetch-adapter.test.ts > of rank-stabilized LoRA has its scale",
      "packages/runtime/src/session/policy-session.test.ts > sessions under several adapters sample concurrently, each as if alone",
      "packages/runtime/src/session/policy-session.test.ts > activating an adapter or scale in mid-conversation reads everything again",
      "packages/runtime/src/node/node-policy.test.ts > adapters of larger rank than the shared graph's get a larger graph",
      "packages/runtime/src/browser-swap.browser.test.ts > a swap in the worker drops no frames of the page, and one on its own thread does",
    ],
  },
  {
    id: "runtime:service-worker",
    source: "docs/how-to/runtime.md, Where it runs",
    behavior:
      "Pages share the weights of one service worker. If the browser ends it, the continuation is the same.",
    tests: [
      "packages/runtime/src/worker/service.browser.test.ts > pages are served side by side, each with its own sessions and versions",
      "packages/runtime/src/worker/service.browser.test.ts > a service worker ended by the browser is restarted, with the same continuation",
      "test/e2e/guide.test.ts > runs a policy in its service worker",
    ],
  },
  {
    id: "runtime:lost-device",
    source: "docs/how-to/runtime.md, When things go wrong",
    behavior:
      "A lost device or a crashed worker in the middle of a turn changes neither tokens nor log-probs. Repeated failures are a retryable error.",
    tests: [
      "packages/runtime/src/session/recovery.test.ts > at any run of any session leaves tokens and log-probs unchanged",
      "packages/runtime/src/session/recovery.test.ts > repeatedly is reported to the caller, and the session can continue afterwards",
      "packages/runtime/src/node/node-recovery.test.ts > after a lost native device, tokens and log-probs are the same and no memory is left",
      "packages/runtime/src/browser-session.browser.test.ts > %s, is replaced: the generation continues with the same tokens",
      "packages/runtime/src/worker/lost-device.browser.test.ts > a device lost during steps of branches is replaced, with the same continuations",
      "packages/runtime/src/backend/webgpu/gpu-memory.browser.test.ts > a device that refuses a command counts as lost",
    ],
  },
  {
    id: "runtime:hidden-tab",
    source: "docs/how-to/runtime.md, When things go wrong",
    behavior: "A turn continues in a hidden tab, with the same tokens and log-probs.",
    tests: [
      "test/e2e/hidden-tab.test.ts > a turn in a hidden tab runs to its end, with the same tokens as in a visible tab",
    ],
  },
  {
    id: "runtime:out-of-memory",
    source: "docs/how-to/runtime.md, When things go wrong",
    behavior:
      "When memory runs out, idle sessions are evicted and prefilled again later, and others wait. A session that never fits is a retryable error.",
    tests: [
      "packages/runtime/src/session/recovery.test.ts > drops caches of idle sessions, and reads them again when they continue",
      "packages/runtime/src/session/recovery.test.ts > with nothing left to drop makes the latest job wait for the others",
      "packages/runtime/src/session/recovery.test.ts > a waiting job can be aborted, and one that never fits fails",
      "packages/runtime/src/backend/cpu/wasm-device.test.ts > a full heap is a retryable error and leaves the module usable",
    ],
  },
  {
    id: "runtime:ledger",
    source: "docs/how-to/runtime.md, Where it runs",
    behavior: "Nothing remains allocated after dispose, on CPU and GPU.",
    tests: [
      "packages/runtime/src/session/policy-session.test.ts > disposing while generating, forking and scoring frees everything (answers later: %s)",
      "packages/runtime/src/backend/webgpu/gpu-memory.browser.test.ts > every buffer, including those of other code, is counted by use until it is destroyed",
      "packages/runtime/src/backend/webgpu/webgpu-backend.browser.test.ts > a lost device rejects current and later runs, and dispose frees everything",
      "packages/runtime/src/agreement/backend-agreement.contract.ts > it reports its number format, and frees everything when disposed of",
    ],
  },
  {
    id: "runtime:resume",
    source: "docs/how-to/runtime.md, Load a model",
    behavior:
      "Downloads resume at the byte after a break, an abort or a reload. Damaged chunks are fetched again, and two tabs download once.",
    tests: [
      "packages/runtime/src/store/file-download.test.ts > resumes at the byte where it broke, and nothing is sent twice",
      "packages/runtime/src/store/file-download.test.ts > resumes at the byte in the next page, after an abort",
      "packages/runtime/src/store/file-download.test.ts > that stalls is retried, and finally fails with a retryable error",
      "packages/runtime/src/store/opfs-storage.browser.test.ts > the next page resumes at the byte where the network broke",
      "packages/runtime/src/store/opfs-storage.browser.test.ts > a chunk damaged or deleted in the file system is fetched again",
      "packages/runtime/src/store/opfs-storage.browser.test.ts > two threads that load one file concurrently fetch it once, and both get it completely",
    ],
  },
  {
    id: "runtime:unreachable",
    source: "docs/how-to/runtime.md, When things go wrong",
    behavior:
      "A server that never responded is reported as unreachable after three requests, and the page retries on its own.",
    tests: [
      "packages/runtime/src/store/file-download.test.ts > a server that %s (%s) gets %i requests before it is NETWORK",
      "packages/embed/src/create-agent.test.ts > a page whose edge was down loads at the next policy check, on its own",
    ],
  },
  {
    id: "runtime:context-length",
    source: "docs/how-to/runtime.md, When things go wrong",
    behavior: "A context longer than the model's positions is refused when the model is opened.",
    tests: [
      "packages/runtime/src/limits.test.ts > a context is at most the model's positions, and by default at most 8192",
      "packages/runtime/src/node/policy-misuse.test.ts > a context beyond the model's positions is refused before anything is computed",
      "packages/runtime/src/browser-policy.browser.test.ts > a context beyond the model's positions is refused",
    ],
  },
  {
    id: "runtime:old-storage",
    source: "docs/decisions/0011-models-in-the-private-file-system.md",
    behavior: "Data that an earlier version left in visitors' browsers is deleted.",
    tests: [
      "packages/runtime/src/store/opfs-storage.browser.test.ts > only what an earlier version stored in the Cache API is deleted",
    ],
  },
  {
    id: "runtime:quota",
    source: "docs/how-to/runtime.md, When things go wrong",
    behavior: "Files that exceed the storage quota stay in memory, and loading does not fail.",
    tests: [
      "packages/runtime/src/store/file-download.test.ts > chunks that do not fit into storage stay in memory, and can be posted to another thread",
      "packages/runtime/src/store/opfs-storage.browser.test.ts > if the browser's quota runs out during a download, the rest stays in memory",
    ],
  },
  {
    id: "runtime:sources",
    source: "docs/how-to/runtime.md, Load a model",
    behavior:
      "Models are loaded from the Hub, a server's folder or the visitor's folder, with exact progress, and offline from then on.",
    tests: [
      "packages/runtime/src/store/load-model.test.ts > a repository of the Hub loads with exact progress, and offline from then on",
      "packages/runtime/src/store/load-model.test.ts > a folder on a plain server loads, in one file or in shards, also without HEAD",
      "packages/runtime/src/store/load-model.test.ts > a picked folder loads without a copy, from the files next to the topmost config",
      "packages/runtime/src/store/load-model.test.ts > given hashes are checked, for remote and for picked files",
    ],
  },
  {
    id: "runtime:memory-estimate",
    source: "docs/how-to/runtime.md, Load a model",
    behavior:
      "A model that cannot fit is refused before its weights are downloaded, with a suggestion that fits.",
    tests: [
      "packages/runtime/src/store/load-model.test.ts > a model that is too large is refused",
      "packages/runtime/src/store/load-model.test.ts > a large model is measured against the page's own device, a small one is not",
      "packages/runtime/src/store/model-memory.test.ts > with its size, the limit, and the format that would fit",
      "packages/runtime/src/store/model-memory.test.ts > the weights of a graph in %s have the computed size",
    ],
  },
  {
    id: "runtime:size",
    source: "docs/how-to/runtime.md, Where it runs",
    behavior:
      "The code that a page loads before the first token, without model and onnxruntime's module, is at most 126 KB gzipped.",
    tests: [
      "test/architecture/size.test.ts > a page and its worker load at most 126 KB gzipped before the first token on %s",
    ],
  },
  {
    id: "runtime:guide",
    source: "docs/how-to/runtime.md",
    behavior:
      "Every block of the guide compiles. Blocks for pages run in a built page under a strict content security policy, blocks for Node run in Node.",
    tests: [
      "test/e2e/guide.test.ts > every block compiles against the built packages",
      "test/e2e/guide.test.ts > runs the blocks of the page",
      "test/e2e/guide.test.ts > the blocks of Node run in Node",
    ],
  },
];
