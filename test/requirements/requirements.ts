/**
 * What Waggle claims, one entry a claim: id, where the claim comes from, the behavior, and the tests
 * that show it (`file > name of the test`). `requirements.test.ts` fails on a claim without a test
 * and on a citation of a test that does not exist. Pure data.
 */
export type Requirement = {
  /** `area:claim`. */
  readonly id: string;
  /** Document or paper the claim rests on. */
  readonly source: string;
  readonly behavior: string;
  readonly tests: readonly string[];
};

export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: "tree:layers",
    source: "docs/design.md, The tree",
    behavior:
      "Packages import downward only; heavy libraries stay where the tree lists them; a package declares what it imports.",
    tests: [
      "test/architecture/layers.test.ts > sources import workspace packages of lower layers only",
      "test/architecture/layers.test.ts > heavy libraries are imported only where the tree lists them",
      "test/architecture/layers.test.ts > a package declares every library it imports",
    ],
  },
  {
    id: "record:tokens",
    source: "docs/design.md, decision 1",
    behavior:
      "A trajectory is a tree of given and sampled token segments; the segments are the tokens of the policy's context; malformed ones are refused.",
    tests: [
      "packages/protocol/src/trajectory.test.ts > a path runs from the root to the leaf and leaves other branches out",
      "packages/protocol/src/trajectory.test.ts > refuses %s",
      "packages/agent/src/roll-out.test.ts > the segments, one after another, are the tokens of the policy's context",
    ],
  },
  {
    id: "text:append-only",
    source: "docs/design.md, decision 1",
    behavior: "Rendering only appends, and adds up to what the chat template itself would render.",
    tests: [
      "packages/text/src/chat-format.test.ts > %s: start, turns and next add up to the template's own rendering",
    ],
  },
  {
    id: "text:no-special-tokens",
    source: "docs/design.md, decision 1",
    behavior: "Text of users, pages and tools never becomes a control token.",
    tests: [
      "packages/text/src/tokenizer.test.ts > encode never gives an added token, whatever is written around it",
      "packages/text/src/chat-format.test.ts > %s: a hostile text gives no control token of its own",
      "packages/agent/src/roll-out-text.test.ts > what tools and users write cannot become a control token",
    ],
  },
  {
    id: "text:tool-formats",
    source: "chat templates of Hermes, Qwen, Llama, Mistral, LFM2, FunctionGemma",
    behavior:
      "Calls in six formats are written, read back and read while they grow, however the text is cut; the template says which.",
    tests: [
      "packages/text/src/tool-calls/formats.test.ts > %s: what is written is read back",
      "packages/text/src/tool-calls/formats.test.ts > %s: however a turn is cut, the same comes out",
      "packages/text/src/tool-calls/formats.test.ts > %s as its models write it: %s",
      "packages/text/src/tool-calls/formats.test.ts > the template %j writes %s",
      "packages/agent/src/tool-call-constraint.test.ts > calls in a format whose values do not say their type are read by the tools' schemas",
    ],
  },
  {
    id: "grammar:valid",
    source: "JSON Schema 2020-12; the Berkeley Function Calling Leaderboard",
    behavior:
      "Whatever is sampled under a schema, a pattern or a tool-call grammar is valid; a keyword that no grammar holds is refused by name.",
    tests: [
      "packages/text/src/grammar/bfcl.test.ts > %s, every %i. tool, with %j as tokens: every call is valid",
      "packages/text/src/grammar/bfcl.test.ts > control: the same check finds a call that the schema forbids",
      "packages/text/src/grammar/json-schema.test.ts > whatever is sampled under a random schema and budget is valid",
      "packages/text/src/grammar/json-schema.test.ts > %s is refused by name: %j",
      "packages/text/src/grammar/patterns.test.ts > a regular expression accepts what RegExp accepts and nothing else",
      "packages/runtime/src/chat/nano-chat.test.ts > required calls, a named one and a schema are held, with a record of the grammar",
    ],
  },
  {
    id: "grammar:budget",
    source: "packages/text/src/grammar/token-automaton.ts",
    behavior:
      "A token is allowed exactly where a completion still fits into the budget, so every constrained turn closes.",
    tests: [
      "packages/text/src/grammar/budget.test.ts > a mask holds exactly the tokens after which a completion still fits, at every step",
      "packages/text/src/grammar/budget.test.ts > nesting without a limit closes within any budget that the shortest text fits into",
      "packages/text/src/grammar/budget.test.ts > control: a step that no budget guards can leave too little to close",
    ],
  },
  {
    id: "grammar:replay",
    source: "docs/design.md, decisions 1 and 4",
    behavior:
      "Masks are a function of grammar, budget and tokens: page, session and trainer get the same ones, learn from what was allowed, and take no other grammar than an honest page asks for.",
    tests: [
      "packages/text/src/grammar/masks.test.ts > masks in Node are the recorded ones",
      "packages/text/src/grammar/masks.browser.test.ts > masks in Chromium are the ones that Node computes",
      "trainer/src/grammar-expansion.test.ts > a grammar becomes the sets it allowed, with the budget that forced its close",
      "test/contract/constrained-rollout.test.ts > what was sampled under a grammar and top-k %i is re-scored and learned from with what was allowed",
      "test/contract/constrained-rollout.test.ts > %s is refused",
      "test/contract/constrained-rollout.test.ts > a grammar that is left out, or claimed where none was, is seen in the log-probs",
    ],
  },
  {
    id: "grammar:agents",
    source: "README, Embed it",
    behavior:
      "A model of the visitor's choice can only call the tools there are; the site's policy, which learns from its mistakes, is free.",
    tests: [
      "packages/embed/src/request-conversation.test.ts > a model of the visitor's choice can only call the tools there are; the site's policy may err",
      "packages/agent/src/tool-call-constraint.test.ts > with constrained calls every turn may call the environment's tools, and the record says so",
      "test/contract/constrained-rollout.test.ts > no constrained turn is unreadable, cut off or a call that its tools refuse; free ones are",
    ],
  },
  {
    id: "text:bpe",
    source: "Sennrich et al. 2016, arXiv:1508.07909; byte level as in GPT-2",
    behavior: "The nano vocabulary is a real byte-level BPE that keeps any Unicode text.",
    tests: [
      "packages/text/src/bpe-trainer.test.ts > incremental counts learn the merges that recounting learns",
      "packages/text/src/tokenizer.test.ts > any Unicode text survives encode and decode",
    ],
  },
  {
    id: "model:config",
    source: "Hugging Face config.json of the six types",
    behavior: "Configs are read member by member; what is not computed here is refused by name.",
    tests: [
      "packages/model/src/decoder-config.test.ts > a published qwen3 config is read member by member",
      "packages/model/src/decoder-config.test.ts > llama 3's frequency scaling is read from either generation of layouts",
      "packages/model/src/decoder-config.test.ts > a config whose %s is not computed here is refused by name",
      "packages/model/src/decoder-families.test.ts > a %s config survives being written and read",
    ],
  },
  {
    id: "model:logits-pytorch",
    source: "test/golden/decoder/generate.py (PyTorch, f64)",
    behavior:
      "Logits of tiny llama, qwen2, qwen3, gemma3, smollm3 and lfm2 checkpoints agree with PyTorch to 1e-4 in the inference graph, in Node and in the browser on WASM, of qwen3 and llama on WebGPU, too.",
    tests: [
      "test/golden/decoder/graph.test.ts > the inference graph of ${modelType} gives PyTorch's logits (${name})",
      "packages/runtime/src/golden-decoder.browser.test.ts > on %s, scores of a %s decoder are PyTorch's to 1e-4",
    ],
  },
  {
    id: "model:logits-oracle",
    source: "llama.cpp through node-llama-cpp",
    behavior: "The same logits agree with an engine that shares no code with ONNX.",
    tests: [
      "test/golden/decoder/oracle.test.ts > llama.cpp gives the inference graph's logits for ${modelType}",
    ],
  },
  {
    id: "model:peft",
    source: "PEFT's adapter layout; Hu et al. 2021, arXiv:2106.09685",
    behavior: "Adapters are read, written and merged in PEFT's layout; wrong ones are refused.",
    tests: [
      "packages/model/src/adapter.test.ts > names and shapes are Hugging Face's and PEFT's",
      "packages/model/src/adapter.test.ts > merging adds alpha/rank times B·A",
      "packages/model/src/adapter.test.ts > an adapter of another decoder, of another rank or with broken numbers is refused",
    ],
  },
  {
    id: "model:any-folder",
    source: "README, --model",
    behavior:
      "Any Hugging Face folder of the supported types runs: shards, template files, several stop tokens.",
    tests: [
      "packages/model/src/model-folder.test.ts > of a folder in shards, the files that its index names belong to the model",
      "packages/embed/src/policy-host.browser.test.ts > shards, a template file and two stop tokens reach the policy of a page",
    ],
  },
  {
    id: "runtime:recorded-equals-scored",
    source: "docs/design.md, decision 4",
    behavior:
      "What sampling records is what teacher-forced scoring computes, to 1e-4, at every chunk size and kept set.",
    tests: [
      "packages/runtime/src/node/node-policy.test.ts > under temperature, top-k and top-p, over the recorded kept sets",
      "packages/runtime/src/node/node-policy.test.ts > over several turns that share one cache",
    ],
  },
  {
    id: "runtime:swap",
    source: "docs/design.md, The life of a trajectory, 6",
    behavior:
      "A swap in the middle of a conversation drops the cache: score equals what was recorded; with the old cache kept it does not.",
    tests: [
      "packages/runtime/src/node/node-policy.test.ts > in the middle of a conversation leaves score equal to what was recorded",
      "packages/runtime/src/node/node-policy.test.ts > with the old keys and values kept, score is not what was recorded",
      "packages/runtime/src/node/node-policy.test.ts > a context in progress keeps its version's numbers; the version is freed with it",
    ],
  },
  {
    id: "runtime:sampler",
    source: "Holtzman et al. 2020, arXiv:1904.09751 (top-p)",
    behavior: "Seeded sampling by temperature, top-k and top-p agrees with a brute-force twin.",
    tests: [
      "packages/runtime/src/sampler.test.ts > are those of a full sort",
      "packages/runtime/src/sampler.test.ts > under %s follow the log-probs that are recorded with them",
    ],
  },
  {
    id: "runtime:webgpu-wasm",
    source: "docs/design.md, The tree",
    behavior:
      "WebGPU and WASM give the same log-probs around every block size; the page says which it uses, a software adapter only on request.",
    tests: [
      "packages/runtime/src/browser-policy.browser.test.ts > WASM and WebGPU give the same log-probs at prefill lengths around every block",
      "packages/runtime/src/browser-policy.browser.test.ts > auto takes WASM over a software adapter, and says with how many threads",
    ],
  },
  {
    id: "runtime:store",
    source: "docs/design.md, The life of a trajectory, 1",
    behavior:
      "Models and adapters come by content hash through the browser's own storage, also offline.",
    tests: [
      "packages/runtime/src/store/model-store.test.ts > come by hash, with progress in bytes up to the exact total",
      "packages/runtime/src/store/model-store.browser.test.ts > the page's own storage holds a model for a second, offline load, until it is pruned",
    ],
  },
  {
    id: "runtime:agreement",
    source: "docs/guides/runtime.md, Where it runs",
    behavior:
      "Every back end agrees with a decoder in plain loops over prefills, rows, forks, groups, adapters and masks; planted faults are seen.",
    tests: [
      "packages/runtime/src/agreement/backend-agreement.contract.ts > it says its number format, and holds nothing after it is disposed",
      "packages/runtime/src/agreement/backend-agreement.test.ts > %s",
      "test/golden/decoder/plain-decoder.test.ts > the plain decoder gives PyTorch's logits of ${modelType} (${name})",
    ],
  },
  {
    id: "runtime:self-check",
    source: "docs/guides/runtime.md, Where it runs",
    behavior:
      "A device is checked before its first use; one that computes wrongly is gone around or refused, never served.",
    tests: [
      "packages/runtime/src/agreement/self-check.test.ts > shortens runs where only long ones are wrong",
      "packages/runtime/src/agreement/self-check.test.ts > goes without subgroups where they are wrong",
      "packages/runtime/src/agreement/self-check.test.ts > refuses a device that fails",
      "packages/runtime/src/browser-policy.test.ts > one that computes wrongly is refused, and auto takes WASM",
    ],
  },
  {
    id: "runtime:number-formats",
    source: "docs/evidence/runtime.md, Budgets of number formats",
    behavior:
      "f16, int8 and int4 stay within their budgets; stored ahead of time they give the same graph; weights may lie outside of it.",
    tests: [
      "test/golden/decoder/dtypes.test.ts > ${modelType} in %s stays within its budget",
      "test/golden/decoder/options.test.ts > %s weights outside the model, in several files, give the same logits",
      "packages/runtime/src/node/convert-model.test.ts > the graph of weights stored in %s is that of the original, bit for bit",
      "packages/runtime/src/node/node-policy.test.ts > f16, which no CPU computes in here, is f32, and the record says so",
    ],
  },
  {
    id: "runtime:sessions",
    source: "docs/guides/runtime.md, Sessions",
    behavior:
      "Sessions grow, fork at any token, score, are saved and restored, side by side, in Node and across the worker; every call can be given up.",
    tests: [
      "packages/runtime/src/session/policy-session.test.ts > at %i goes on as if it had always been alone",
      "packages/runtime/src/session/policy-session.test.ts > a restored session goes on with the same tokens, under its adapter",
      "packages/runtime/src/session/policy-session.test.ts > every call that takes time can be given up, with the signal's reason",
      "packages/runtime/src/browser-session.browser.test.ts > branches, groups, scores, adapters and snapshots, across the worker",
    ],
  },
  {
    id: "runtime:fair",
    source: "docs/guides/runtime.md, Sessions",
    behavior:
      "Sessions of one device share runs, none waits for longer than one run of each other, and sampling is what it would be alone.",
    tests: [
      "packages/runtime/src/session/scheduler.test.ts > is what it samples alone, whoever else runs and however runs are cut",
      "packages/runtime/src/session/scheduler.test.ts > no session waits longer than the others need for one run each",
      "packages/runtime/src/session/scheduler.test.ts > sessions that sample together share runs, and those that are done leave at once",
    ],
  },
  {
    id: "runtime:groups",
    source: "docs/guides/runtime.md, Sessions",
    behavior:
      "A group reads its prefix once; a branch may start at any token, also of a running generation.",
    tests: [
      "packages/runtime/src/session/policy-session.test.ts > reads the prefix once, and its members sample together",
      "packages/runtime/src/session/policy-session.test.ts > of a running generation, at its last token, disturbs neither (answers later: %s)",
      "packages/runtime/src/browser-session.browser.test.ts > the record of a session grows while it generates, and a branch sees it",
    ],
  },
  {
    id: "runtime:records",
    source: "docs/guides/runtime.md, Sessions",
    behavior:
      "Records hold what reproduces the distribution (kept sets or grammar), and sampled tokens follow it; a shifted one is told apart.",
    tests: [
      "packages/runtime/src/session/policy-session.test.ts > score gives what was recorded",
      "packages/runtime/src/session/grammar.test.ts > replayed over the record gives the same log-probs (%o)",
      "packages/runtime/src/sampler.test.ts > under %s follow the log-probs that are recorded with them",
      "packages/runtime/src/sampler.test.ts > of another temperature are told apart",
      "packages/runtime/src/backend/webgpu/gpu-sampler.browser.test.ts > drawn tokens follow the distribution, cut and whole; a shifted one does not",
    ],
  },
  {
    id: "runtime:adapters",
    source: "docs/guides/runtime.md, Adapters",
    behavior:
      "PEFT adapters come by address and hash, are active per session at a strength, and a swap drops no frame.",
    tests: [
      "packages/runtime/src/fetch-adapter.test.ts > is the one that was published",
      "packages/runtime/src/fetch-adapter.test.ts > of rank-stabilized LoRA has its scale",
      "packages/runtime/src/session/policy-session.test.ts > sessions under several sample at the same time, each as under its own alone",
      "packages/runtime/src/session/policy-session.test.ts > an activation in mid-conversation reads everything again; scale is part of it",
      "packages/runtime/src/node/node-policy.test.ts > adapters of larger rank than the shared graph's get a larger graph",
      "packages/runtime/src/browser-swap.browser.test.ts > a swap in the worker drops no frame of the page that one on its thread does",
    ],
  },
  {
    id: "runtime:chat",
    source: "OpenAI, chat completions",
    behavior:
      "Chats have OpenAI's shape: streams, tools, response formats, n, seed, stop, usage; a conversation is read once.",
    tests: [
      "packages/runtime/src/chat/policy-chat.test.ts > is OpenAI's, with usage, a fingerprint, timings and what learning needs",
      "packages/runtime/src/chat/policy-chat.test.ts > streams what folds into the same answer, usage on the last chunk",
      "packages/runtime/src/chat/policy-chat.test.ts > a conversation is read once, its answers as they were sampled",
      "packages/runtime/src/chat/nano-chat.test.ts > required calls, a named one and a schema are held, with a record of the grammar",
      "packages/runtime/src/chat/chat-types.test.ts > create takes what a caller of OpenAI's client writes",
      "packages/runtime/src/chat/local-chat.browser.test.ts > an address becomes a chat: loaded with progress, held to a schema, available after",
    ],
  },
  {
    id: "runtime:ai-sdk",
    source: "AI SDK 7, LanguageModelV4",
    behavior:
      "A chat is a model of the AI SDK: text, tools over steps, streams, availability and progress, records in its metadata.",
    tests: [
      "packages/runtime/src/ai-sdk/language-model.test.ts > generateText gives text, usage and the record",
      "packages/runtime/src/ai-sdk/language-model.test.ts > tools run over several steps of one conversation, which is read once",
      "packages/runtime/src/ai-sdk/language-model.test.ts > streamText gives every part in order",
      "packages/runtime/src/ai-sdk/language-model.test.ts > a model that is not there says so, loads once with progress, and can be tried again",
    ],
  },
  {
    id: "runtime:prompt-api",
    source: "webmachinelearning.github.io/prompt-api",
    behavior:
      "The browser's model is a chat, and a chat is the browser's LanguageModel where it has none.",
    tests: [
      "packages/runtime/src/prompt-api/browser-model.test.ts > the browser's model answers as a chat, without a record to learn from",
      "packages/runtime/src/prompt-api/language-model.test.ts > that overflows loses the oldest turns, not the initial ones, and says so",
      "packages/runtime/src/prompt-api/prompt-api.browser.test.ts > a browser's LanguageModel without a model is passed over, and replaced by ours",
      "packages/runtime/src/prompt-api/prompt-api.browser.test.ts > the polyfill has every member of the browser's LanguageModel that pages may use",
    ],
  },
  {
    id: "runtime:openai-http",
    source: "docs/guides/runtime.md, A server where nothing runs",
    behavior:
      "A chat on a server stands in where none runs here; ours can be served, and OpenAI's client reads it.",
    tests: [
      "packages/runtime/src/openai-http/http-chat.test.ts > answers over the wire as it answers here, records included",
      "packages/runtime/src/openai-http/http-chat.test.ts > OpenAI's own client reads it, streamed and not, with tools and errors",
      "packages/runtime/src/openai-http/http-chat.test.ts > that is gone, or goes in the middle, is a retryable NETWORK error",
      "packages/runtime/src/openai-http/http-chat.test.ts > the first source that opens is taken, and an abort ends the search",
    ],
  },
  {
    id: "runtime:scripted-chat",
    source: "docs/guides/runtime.md, Testing what you build",
    behavior: "A scripted chat stands in for a model in users' tests.",
    tests: [
      "packages/runtime/src/testing/scripted-chat.test.ts > a script is spoken word by word, and every request is remembered",
      "packages/runtime/src/testing/scripted-chat.test.ts > it stands in for a model of the AI SDK",
    ],
  },
  {
    id: "runtime:service-worker",
    source: "docs/guides/runtime.md, Where it runs",
    behavior:
      "Pages share the weights of one service worker; where the browser ends it, the continuation is the same.",
    tests: [
      "packages/runtime/src/worker/service.browser.test.ts > pages are served side by side, each with sessions and versions of its own",
      "packages/runtime/src/worker/service.browser.test.ts > a service worker that the browser ends in the middle is started again, same continuation",
      "test/e2e/guide.test.ts > runs a policy in its service worker",
    ],
  },
  {
    id: "runtime:lost-device",
    source: "docs/guides/runtime.md, When things go wrong",
    behavior:
      "A device lost or a worker dead in the middle of a turn gives the same tokens and log-probs as undisturbed; again and again is retryable.",
    tests: [
      "packages/runtime/src/session/recovery.test.ts > at any run of any session: the same tokens and log-probs as undisturbed",
      "packages/runtime/src/session/recovery.test.ts > again and again is the caller's to know, and the session goes on afterwards",
      "packages/runtime/src/node/node-recovery.test.ts > a native device that is lost in the middle: same tokens, same log-probs, nothing left",
      "packages/runtime/src/browser-session.browser.test.ts > %s, is replaced: the generation goes on with the same tokens",
      "packages/runtime/src/backend/webgpu/gpu-memory.browser.test.ts > a device that refuses a command is as good as lost",
    ],
  },
  {
    id: "runtime:out-of-memory",
    source: "docs/guides/runtime.md, When things go wrong",
    behavior:
      "Without memory idle sessions are read again later and others wait; one that never fits is a retryable error.",
    tests: [
      "packages/runtime/src/session/recovery.test.ts > drops what idle sessions hold, and reads it again when they go on",
      "packages/runtime/src/session/recovery.test.ts > with nothing left to drop lets the last to come wait for the others",
      "packages/runtime/src/session/recovery.test.ts > one that waits can be given up, and one that never fits is told",
      "packages/runtime/src/backend/cpu/wasm-device.test.ts > a heap that is full is a typed error that may be tried again, and leaves the module usable",
    ],
  },
  {
    id: "runtime:ledger",
    source: "docs/guides/runtime.md, Where it runs",
    behavior: "Nothing is left after dispose, on CPU and GPU.",
    tests: [
      "packages/runtime/src/session/policy-session.test.ts > disposed while generating, forking and scoring, nothing is left (answers later: %s)",
      "packages/runtime/src/backend/webgpu/gpu-memory.browser.test.ts > every buffer is counted by its use until it is destroyed, also one that others make",
      "packages/runtime/src/backend/webgpu/webgpu-backend.browser.test.ts > a lost device rejects what runs and what comes; nothing is left after dispose",
      "packages/runtime/src/agreement/backend-agreement.contract.ts > it says its number format, and holds nothing after it is disposed",
    ],
  },
  {
    id: "runtime:resume",
    source: "docs/guides/runtime.md, Load a model",
    behavior:
      "Downloads go on at the byte after a break, an abort or a reload; damaged chunks are fetched again; two tabs fetch once.",
    tests: [
      "packages/runtime/src/store/file-download.test.ts > goes on at the byte, and nothing is sent twice",
      "packages/runtime/src/store/file-download.test.ts > goes on at the byte in the next page, after an abort",
      "packages/runtime/src/store/file-download.test.ts > that hangs is given up, goes on, and at last is an error that can be tried again",
      "packages/runtime/src/store/opfs-storage.browser.test.ts > the next page goes on at the byte where the network broke",
      "packages/runtime/src/store/opfs-storage.browser.test.ts > a chunk that was damaged or deleted in the file system is fetched again",
      "packages/runtime/src/store/opfs-storage.browser.test.ts > two threads that load one file at the same time fetch it once, and both have it whole",
    ],
  },
  {
    id: "runtime:quota",
    source: "docs/guides/runtime.md, When things go wrong",
    behavior: "What the quota refuses stays in memory; the load does not fail.",
    tests: [
      "packages/runtime/src/store/file-download.test.ts > what no longer fits into storage stays in memory, and crosses to another thread",
      "packages/runtime/src/store/opfs-storage.browser.test.ts > where the browser's quota ends in the middle of a download, the rest stays in memory",
    ],
  },
  {
    id: "runtime:sources",
    source: "docs/guides/runtime.md, Load a model",
    behavior:
      "Models come from the Hub, a server's folder or the visitor's, with exact progress, and offline from then on.",
    tests: [
      "packages/runtime/src/store/load-model.test.ts > a repository of the Hub loads with exact progress, and offline from then on",
      "packages/runtime/src/store/load-model.test.ts > a folder on a plain server loads, in one file or in shards, also where HEAD is unknown",
      "packages/runtime/src/store/load-model.test.ts > a picked folder loads without a copy, from the files beside the topmost config",
      "packages/runtime/src/store/load-model.test.ts > hashes that the caller knows are checked, for remote files and for picked ones",
    ],
  },
  {
    id: "runtime:memory-estimate",
    source: "docs/guides/runtime.md, Load a model",
    behavior:
      "A model that cannot fit is refused before its weights are fetched, with what would fit.",
    tests: [
      "packages/runtime/src/store/load-model.test.ts > a model that is too large is refused",
      "packages/runtime/src/store/model-memory.test.ts > with the figure, the limit, and the format that would fit",
      "packages/runtime/src/store/model-memory.test.ts > the weights of a graph in %s have the size that was computed for them",
    ],
  },
  {
    id: "runtime:size",
    source: "docs/guides/runtime.md, Where it runs",
    behavior:
      "What a page loads before the first token, without model and onnxruntime's module, is at most 120 KB gzipped.",
    tests: [
      "test/architecture/size.test.ts > a page and its worker are at most 120 KB gzipped before the first token on %s",
    ],
  },
  {
    id: "runtime:guide",
    source: "docs/guides/runtime.md",
    behavior:
      "Every block of the guide compiles; those of the page run in a built page under a strict content security policy, those of Node in Node.",
    tests: [
      "test/e2e/guide.test.ts > every block compiles against the packages as they are built",
      "test/e2e/guide.test.ts > runs the blocks of the page",
      "test/e2e/guide.test.ts > the blocks of Node run in Node",
    ],
  },
  {
    id: "agent:roll-out",
    source: "docs/design.md, The tree",
    behavior:
      "One driver for pages, tests and trainer: parallel calls, budgets, abort, stop reasons.",
    tests: [
      "packages/agent/src/roll-out.test.ts > parallel calls of a turn reach the environment together and keep their order",
      "packages/agent/src/roll-out.test.ts > a turn budget ends it before the policy speaks again",
      "packages/agent/src/roll-out.test.ts > an abort in the middle of a turn keeps what was sampled",
      "packages/agent/src/roll-out.test.ts > an unreadable call is an observation, and a readable one after it is forgiven",
    ],
  },
  {
    id: "agent:conversation",
    source: "docs/design.md, decision 1",
    behavior: "Requests of a conversation are trajectories of their own that train no token twice.",
    tests: [
      "packages/agent/src/conversation.test.ts > a second request goes on in the same context and trains no token twice",
    ],
  },
  {
    id: "agent:mcp",
    source: "Model Context Protocol, Streamable HTTP",
    behavior: "Edge tools come over MCP, also where a page forbids eval.",
    tests: [
      "packages/agent/src/mcp-tools.test.ts > listed tools run on the server and say what it says",
      "packages/agent/src/eval-free.browser.test.ts > a request with page and MCP tools runs where eval is forbidden",
      "workers/edge/src/routes/mcp.test.ts > the official client finds the edge tools with their schemas",
    ],
  },
  {
    id: "collector:consent",
    source: "docs/design.md, The life of a trajectory, 3",
    behavior: "Without a consent to the current text nothing leaves the page.",
    tests: [
      "packages/collector/src/uploader.test.ts > without consent no request leaves the page",
      "packages/collector/src/consent-store.test.ts > a consent to an older text does not count and the question is open again",
    ],
  },
  {
    id: "collector:redaction",
    source: "docs/design.md, decision 1",
    behavior:
      "Personal data becomes typed placeholders before tokenization; the map stays in memory and page tools get the value back.",
    tests: [
      "packages/collector/src/redactor.test.ts > redaction is idempotent on any text",
      "packages/collector/src/redactor.test.ts > an e-mail address never survives in what is left",
      "packages/agent/src/roll-out-text.test.ts > personal data is in no token and no record; only page tools get it back",
    ],
  },
  {
    id: "collector:outbox",
    source: "docs/design.md, The life of a trajectory, 3",
    behavior:
      "The outbox survives reload and offline, is shared by tabs, and sends each trajectory once.",
    tests: [
      "packages/collector/src/outbox.browser.test.ts > in a real browser two tabs share one database and every trajectory arrives once",
      "packages/collector/src/uploader.test.ts > an answer that was lost is asked for again and counts once at the edge",
      "packages/collector/src/uploader.test.ts > delays double from the base with jitter and begin anew after a success",
    ],
  },
  {
    id: "collector:forget-me",
    source: "docs/design.md, The life of a trajectory, 4",
    behavior:
      "Forget me deletes at the edge, then everything in the page, and names the versions that had learned.",
    tests: [
      "packages/collector/src/uploader.test.ts > forget me deletes at the edge, then everything here",
      "workers/edge/src/routes/visitor.test.ts > rows, objects, feedback and assignments of the visitor go, those of others stay",
      "workers/edge/src/routes/visitor.test.ts > the answer names every version published since the first step that learned",
    ],
  },
  {
    id: "embed:fifteen-lines",
    source: "README, Embed it",
    behavior:
      "At most 15 lines embed the agent; exactly those lines work from the packed packages in an empty Vite project.",
    tests: [
      "test/e2e/embed.test.ts > the README embeds the assistant in at most 15 lines",
      "test/e2e/embed.test.ts > a request is answered by the policy in the packed worker, and nothing was sent",
    ],
  },
  {
    id: "embed:panel",
    source: "WAI-ARIA 1.2",
    behavior:
      "The panel streams, shows calls, stops, takes thumbs and consent, and works by keyboard.",
    tests: [
      "packages/embed/src/element/waggle-agent.browser.test.ts > Enter sends, the call is shown while it runs, Stop ends it, and the version is said",
      "packages/embed/src/element/waggle-agent.browser.test.ts > the whole panel can be walked with Tab, in reading order",
      "packages/embed/src/element/waggle-agent.browser.test.ts > text from policy and tools is text, never markup",
    ],
  },
  {
    id: "embed:swap",
    source: "docs/design.md, The life of a trajectory, 6",
    behavior: "A newer policy is swapped into an open page without a reload.",
    tests: [
      "packages/embed/src/create-agent.test.ts > a newer policy is swapped in without a reload, and the next answer comes from it",
      "test/e2e/loop.test.ts > one policy is published, promoted and swapped into every page without a reload",
    ],
  },
  {
    id: "embed:own-model",
    source: "packages/embed, AgentOptions.model",
    behavior:
      "A model of the visitor's choice answers in place of the site's; nothing of it is collected.",
    tests: [
      "packages/embed/src/set-model.test.ts > another model answers in place of the site's; nothing of it is collected, no tasks are done",
      "packages/embed/src/own-model-host.browser.test.ts > a visitor's model answers, follows no manifest, and comes from storage the next time",
      "packages/embed/src/set-model.test.ts > a model chosen while another loads is the one that answers",
      "test/e2e/model-picker.test.ts > a model by its address answers in the panel, without the site's edge and without asking for consent",
    ],
  },
  {
    id: "environments:tasks",
    source: "packages/environments",
    behavior:
      "Held-out tasks are disjoint from training, a quarter of them in wordings never trained on.",
    tests: [
      "packages/environments/src/shop-task.test.ts > no held-out instance is ever a training instance",
      "packages/environments/src/shop-task.test.ts > a quarter of the held-out tasks, and no training task, is worded by an unseen template",
    ],
  },
  {
    id: "environments:verifier",
    source: "docs/design.md, decision 4",
    behavior:
      "The verifier passes gold, fails near misses and hostile answers, and says when it cannot judge.",
    tests: [
      "packages/environments/src/shop-task.test.ts > passes what an expert does, live and replayed",
      "packages/environments/src/shop-task.test.ts > fails a near miss: one thing more in the cart, or the number off by one",
      "packages/environments/src/shop-task.test.ts > fails hostile answers: long, injected, not a number, a list of guesses",
      "packages/environments/src/shop-verifier.test.ts > cannot judge what an unavailable tool broke",
    ],
  },
  {
    id: "edge:sessions",
    source: "docs/design.md, The life of a trajectory, 1",
    behavior:
      "Site key to short-lived token; sticky channel; trainer and operator need their own credential.",
    tests: [
      "workers/edge/src/routes/sessions.test.ts > a session token ends when it says so",
      "workers/edge/src/routes/sessions.test.ts > a visitor's channel is sticky and the canary's share is what was asked for",
      "workers/edge/src/routes/sessions.test.ts > trainer and operator need their own credential",
    ],
  },
  {
    id: "edge:upload",
    source: "docs/design.md, The life of a trajectory, 4",
    behavior:
      "Uploads are validated and idempotent; what is refused gets a 4xx with a stable code and stores nothing.",
    tests: [
      "workers/edge/src/routes/trajectories.test.ts > an assigned trajectory is stored once: object, row, and the same again is a duplicate",
      "workers/edge/src/routes/trajectories.test.ts > a gzip bomb is cut at the decoded limit",
      "workers/edge/src/routes/trajectories.test.ts > an unpublished policy version is refused, in the header or in a segment",
      "workers/edge/src/routes/trajectories.test.ts > another visitor's assignment is refused",
      "workers/edge/src/routes/trajectories.test.ts > the same id with other content is refused",
    ],
  },
  {
    id: "edge:leases",
    source: "docs/design.md, decision 5",
    behavior:
      "Whole groups are leased under a fencing token; D1 is the truth and the Queue a nudge.",
    tests: [
      "workers/edge/src/routes/leases.test.ts > a complete group is leased whole, an incomplete one not before its deadline",
      "workers/edge/src/routes/leases.test.ts > killed over and over, every trajectory is learned exactly once",
      "workers/edge/src/routes/leases.test.ts > a lost queue loses nothing: a lease places what is stored",
    ],
  },
  {
    id: "edge:policies",
    source: "docs/design.md, The life of a trajectory, 5",
    behavior: "Adapters by content hash, two channels, promotion and roll back.",
    tests: [
      "workers/edge/src/routes/policies.test.ts > a published version reaches the canary, promoted everybody, and the earlier one retires",
      "workers/edge/src/routes/policies.test.ts > a canary that is rolled back falls back to stable and cannot be promoted",
      "workers/edge/src/routes/policies.test.ts > bytes of another hash are refused and not stored",
    ],
  },
  {
    id: "edge:feedback",
    source: "docs/design.md, The life of a trajectory, 4",
    behavior: "Feedback is joined by id, whenever it comes.",
    tests: [
      "workers/edge/src/routes/visitor.test.ts > feedback is joined by id, whether it comes before or after the trajectory",
    ],
  },
  {
    id: "edge:openapi",
    source: "OpenAPI 3.1",
    behavior: "The served description names every route and is what the Worker does.",
    tests: [
      "workers/edge/src/openapi.test.ts > describes every route that the app serves, and no other",
      "workers/edge/src/openapi.test.ts > an upload that the schema forbids is one that the Worker refuses",
    ],
  },
  {
    id: "engine:gradients",
    source: "test/golden/decoder/generate.py (PyTorch autograd, f64)",
    behavior:
      "Outputs and gradients of both engines are PyTorch's and those of central differences; resume is bitwise.",
    tests: [
      "packages/engine/src/train-engine-numbers.contract.ts > backward gives PyTorch's gradients (${modelType}, ${trains})",
      "packages/engine/src/train-engine-numbers.contract.ts > the gradient of ${output} equals central differences of the plain twin, every tensor (${config.modelType}, ${trains})",
      "packages/engine/src/train-engine-training.contract.ts > a loaded checkpoint goes on bit by bit (${trains})",
      "packages/engine/src/train-engine-training.contract.ts > neither padding, order nor microbatches change outputs or gradients",
    ],
  },
  {
    id: "engine:adamw",
    source: "Loshchilov and Hutter 2019, arXiv:1711.05101",
    behavior: "AdamW with clipping is PyTorch's over ten steps.",
    tests: [
      "packages/engine/src/adamw.test.ts > ten clipped steps are PyTorch's, with decay on the matrix only",
    ],
  },
  {
    id: "engine:webgpu",
    source: "docs/design.md, The tree",
    behavior: "The TensorFlow.js engine computes the same on WebGPU through Dawn.",
    tests: [
      "packages/engine/src/tfjs-webgpu.test.ts > on WebGPU outputs and gradients are PyTorch's, or the lack of a device is said",
    ],
  },
  {
    id: "learning:group-relative",
    source: "Shao et al. 2024, arXiv:2402.03300; Liu et al. 2025, arXiv:2503.20783",
    behavior:
      "Group-relative advantages with and without a standard deviation; a flat group carries no signal.",
    tests: [
      "packages/learning/src/group-advantages.test.ts > a group that scored alike carries no signal",
      "packages/learning/src/group-advantages.test.ts > follow a permutation of the group",
    ],
  },
  {
    id: "learning:clipped-surrogate",
    source: "Schulman et al. 2017, arXiv:1707.06347; Yu et al. 2025, arXiv:2503.14476",
    behavior:
      "The clipped surrogate with separate bounds has the derivatives of its loss, whatever the microbatch.",
    tests: [
      "packages/learning/src/clipped-surrogate.test.ts > its derivatives are the finite differences of its loss, and 0 outside the mask",
      "packages/learning/src/clipped-surrogate.test.ts > microbatches with the global count add up to the minibatch, in any order",
    ],
  },
  {
    id: "learning:importance-weights",
    source: "Yao et al. 2025 (truncated importance sampling)",
    behavior:
      "Token-level truncated importance weights agree with reference values and pass no derivative.",
    tests: [
      "packages/learning/src/importance-weights.test.ts > agree with the reference values",
      "packages/learning/src/importance-weights.test.ts > no derivative flows through them: a loss moves with the weight, its derivative only scales",
    ],
  },
  {
    id: "learning:supervised",
    source: "maximum likelihood",
    behavior: "The masked supervised loss has the derivatives of its loss.",
    tests: [
      "packages/learning/src/supervised-loss.test.ts > its derivatives are the finite differences of its loss, 0 outside the mask",
    ],
  },
  {
    id: "trainer:checks",
    source: "docs/design.md, decision 4",
    behavior:
      "Every trajectory is re-scored at its claimed version and replayed; each fault has its reason; a forger gains at most the band.",
    tests: [
      "trainer/src/trajectory-check.test.ts > rejects as %s: %s",
      "trainer/src/trajectory-check.test.ts > rejects a digest that is not the content's",
      "packages/learning/src/log-prob-gap.test.ts > a forger gains at most the band",
    ],
  },
  {
    id: "trainer:exactly-once",
    source: "docs/design.md, decision 5",
    behavior:
      "Killed at any call it loses nothing, repeats nothing and ends with the same parameters.",
    tests: [
      "trainer/src/training-loop.test.ts > killed at any call, before or after it took effect, it loses nothing, repeats nothing and ends with the same parameters",
      "trainer/src/training-loop.test.ts > a lease lost after the checkpoint is acknowledged as learned under the next one, not learned again",
    ],
  },
  {
    id: "trainer:learns",
    source: "docs/design.md, decision 3",
    behavior: "A tiny policy learns from its own rollouts and does not with shuffled advantages.",
    tests: [
      "trainer/src/learning-step.test.ts > a tiny policy learns a choice from its own rollouts, and does not with shuffled advantages",
    ],
  },
  {
    id: "trainer:gate",
    source: "docs/design.md, decision 4",
    behavior: "No policy is promoted without a frozen evaluation; one that falls is rolled back.",
    tests: [
      "trainer/src/training-loop.test.ts > a candidate that falls is rolled back and the engine returns to the stable parameters",
      "trainer/src/training-loop.test.ts > small falls do not add up: a candidate is held against the best version as well",
    ],
  },
  {
    id: "loop:exact-counts",
    source: "README, The loop",
    behavior:
      "In a loop of real parts nothing is lost, refused or learned twice, and browser and trainer agree on log-probs.",
    tests: [
      "test/e2e/loop.test.ts > no trajectory is lost, refused or learned twice",
      "test/e2e/loop.test.ts > what the browser recorded is what the trainer computes for the same version",
    ],
  },
  {
    id: "loop:kills",
    source: "docs/design.md, decision 5",
    behavior: "Fifteen kills of trainer, Worker and pages lose nothing and repeat nothing.",
    tests: [
      "test/e2e/kill.test.ts > killing trainer, Worker and pages five times each loses nothing and repeats nothing",
    ],
  },
  {
    id: "dashboard:viewer",
    source: "apps/dashboard",
    behavior:
      "The operator sees trajectories token by token, colored by log-prob, with calls, group, reward and advantage.",
    tests: [
      "apps/dashboard/src/trajectory-view.browser.test.ts > tokens are colored by the chosen measure",
      "apps/dashboard/src/trajectory-view.browser.test.ts > arrow keys move between tokens and each is explained",
      "apps/dashboard/src/token-text.test.ts > every token has a text and together they are the segment",
    ],
  },
  {
    id: "edge:capacity",
    source: "Fu et al. 2025, AReaL, arXiv:2505.24298",
    behavior:
      "No group is begun while too many wait for the trainer; abandoned groups stop counting.",
    tests: [
      "workers/edge/src/assignment-book.test.ts > no group is begun while as many as allowed are unfinished, and full groups still fill",
      "workers/edge/src/assignment-book.test.ts > a group that everybody abandoned stops counting at its deadline",
    ],
  },
  {
    id: "visitor:no-isolation",
    source: "README, Embed it",
    behavior:
      "On a host page without cross-origin isolation the agent answers on one thread and acts on the page.",
    tests: [
      "test/e2e/visitor.test.ts > without cross-origin isolation the agent answers on one thread and acts on the page",
    ],
  },
  {
    id: "visitor:offline",
    source: "README, Embed it",
    behavior:
      "After the first load it works offline, and what was recorded is sent when the network is back.",
    tests: [
      "test/e2e/visitor.test.ts > after the first load it works offline, and what it recorded is sent when the network is back",
    ],
  },
  {
    id: "visitor:private",
    source: "docs/design.md, decision 1",
    behavior:
      "In the real page: nothing leaves without consent, personal data never leaves, forget me deletes everywhere.",
    tests: [
      "test/e2e/visitor.test.ts > without consent nothing that was said or done leaves the page",
      "test/e2e/visitor.test.ts > an e-mail address and a card number are replaced before anything is kept or sent",
      "test/e2e/visitor.test.ts > what I sent lists an answer, and forget me deletes it at the edge and here",
    ],
  },
  {
    id: "visitor:accessible",
    source: "WAI-ARIA 1.2",
    behavior: "The page is usable by keyboard and every control has a name.",
    tests: [
      "test/e2e/visitor.test.ts > the keyboard alone reaches the input, sends, stops, and the answer is announced",
      "test/e2e/visitor.test.ts > every control of the page and of the panel has an accessible name",
    ],
  },
  {
    id: "visitor:thumb",
    source: "docs/design.md, The life of a trajectory, 4",
    behavior: "A thumb in the page arrives at the edge with its trajectory.",
    tests: [
      "test/e2e/visitor.test.ts > a thumb on an answer arrives at the edge with the trajectory it is about",
    ],
  },
  {
    id: "edge:deployable",
    source: "README, Deploy",
    behavior: "The production configuration passes a dry run.",
    tests: [
      "test/e2e/deploy.test.ts > its production configuration passes a dry run with every binding it uses",
    ],
  },
  {
    id: "model:folder-loop",
    source: "README, --model",
    behavior:
      "A generated llama folder is read whole, sampled, re-scored and judged like the nano model.",
    tests: [
      "test/contract/model-folder.test.ts > the folder is read whole: shards, template, every token that ends a turn, context length",
      "test/contract/model-folder.test.ts > what it did in the shop is re-scored and judged by the trainer",
    ],
  },
];
