/** Requirements of the architecture, trajectories, models, texts and grammars. Pure data. */
import type { Requirement } from "./requirement.ts";

export const MODEL_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "tree:layers",
    source: "docs/design.md, The tree",
    behavior:
      "Packages import downward only; heavy libraries stay where the tree lists them; a package declares what it imports.",
    tests: [
      "test/architecture/layers.test.ts > sources import workspace packages of lower layers only",
      "test/architecture/layers.test.ts > heavy libraries are imported only by the listed packages",
      "test/architecture/layers.test.ts > a package declares every library it imports",
    ],
  },
  {
    id: "record:tokens",
    source: "docs/design.md, decision 1",
    behavior:
      "A trajectory is a tree of observed and sampled token segments, which are exactly the tokens of the policy's context. Malformed trajectories are refused.",
    tests: [
      "packages/protocol/src/trajectory.test.ts > a path runs from the root to the leaf and omits other branches",
      "packages/protocol/src/trajectory.test.ts > refuses %s",
      "packages/agent/src/roll-out.test.ts > the segments in order are the tokens of the policy's context",
    ],
  },
  {
    id: "text:append-only",
    source: "docs/design.md, decision 1",
    behavior: "Rendering only appends, and its result equals the chat template's own rendering.",
    tests: [
      "packages/text/src/chat-format.test.ts > %s: start, turns and next add up to the template's rendering of the conversation",
      "test/contract/model-prompts.test.ts > prompts of $name have the text of its template",
      "test/contract/model-prompts.test.ts > the template %s is refused before the first prompt with tools: %s",
    ],
  },
  {
    id: "text:no-special-tokens",
    source: "docs/design.md, decision 1",
    behavior: "Text of users, pages and tools never becomes a control token.",
    tests: [
      "packages/text/src/tokenizer.test.ts > encode never produces an added token, whatever surrounds it",
      "packages/text/src/chat-format.test.ts > %s: hostile text adds no control tokens",
      "test/golden/tokenizers/tokenizers.test.ts > tokens that the template or the config names never come from people's text",
      "packages/agent/src/roll-out-text.test.ts > text from tools and users cannot become a control token",
    ],
  },
  {
    id: "text:tool-formats",
    source: "chat templates of Hermes, Qwen, Llama, Mistral, LFM2, FunctionGemma",
    behavior:
      "Tool calls in six formats are written and parsed, also while they stream, however the text is split. The chat template decides the format.",
    tests: [
      "packages/text/src/tool-calls/formats.test.ts > %s: written calls are read back",
      "packages/text/src/tool-calls/formats.test.ts > %s: reading does not depend on how a turn is split",
      "packages/text/src/tool-calls/formats.test.ts > %s calls as models write them are parsed: %s",
      "packages/text/src/tool-calls/formats.test.ts > the format of the template %j is %s",
      "packages/agent/src/tool-call-constraint.test.ts > in formats with untyped values, arguments are parsed according to the tools' schemas",
    ],
  },
  {
    id: "grammar:valid",
    source: "JSON Schema 2020-12; the Berkeley Function Calling Leaderboard",
    behavior:
      "Everything sampled under a schema, a pattern or a tool-call grammar is valid, as far as a grammar can express the schema. Every schema is accepted; a mistake in one is refused by name.",
    tests: [
      "packages/text/src/grammar/bfcl.test.ts > %s: calls of one tool in %i are valid, with %j as tokens",
      "packages/text/src/grammar/bfcl.test.ts > control: the check finds calls that the schema forbids",
      "packages/text/src/grammar/json-schema.test.ts > texts sampled under random schemas and budgets are valid",
      "packages/text/src/grammar/json-schema.test.ts > what no grammar expresses is left out, and the rest is enforced: %j",
      "packages/text/src/grammar/json-schema.test.ts > a mistake in a schema is refused: %s",
      "packages/text/src/grammar/zod-schemas.test.ts > arguments sampled for zod's %s pass zod",
      "packages/text/src/grammar/patterns.test.ts > a pattern accepts exactly the texts that RegExp accepts",
      "packages/runtime/src/chat/nano-chat.test.ts > required calls, a named call and a schema are enforced, and the grammar is recorded",
    ],
  },
  {
    id: "grammar:budget",
    source: "packages/text/src/grammar/token-automaton.ts",
    behavior:
      "A token is allowed exactly if a completion still fits into the budget, so that every constrained turn closes.",
    tests: [
      "packages/text/src/grammar/budget.test.ts > a mask allows exactly the tokens after which a completion fits the budget, at every step",
      "packages/text/src/grammar/budget.test.ts > unlimited nesting closes within any budget that fits the shortest text",
      "packages/text/src/grammar/budget.test.ts > control: steps with an ample budget can leave too little to close",
    ],
  },
  {
    id: "grammar:replay",
    source: "docs/design.md, decisions 1 and 4",
    behavior:
      "Masks depend only on grammar, budget and tokens. Page, session and trainer compute the same masks, learn from the allowed set, and accept only the grammar that an honest page uses.",
    tests: [
      "packages/text/src/grammar/masks.test.ts > masks in Node equal the recorded ones",
      "packages/text/src/grammar/masks.browser.test.ts > masks in Chromium equal those that Node computes",
      "trainer/src/check/grammar-expansion.test.ts > a grammar expands to its allowed sets, with the token budget that forced it to close",
      "test/contract/constrained-rollout.test.ts > tokens sampled under a grammar and top-k %i are re-scored and learned with the allowed set",
      "test/contract/constrained-rollout.test.ts > %s is refused",
      "test/contract/constrained-rollout.test.ts > a missing grammar, and one that was not used, are detected in the log-probs",
    ],
  },
  {
    id: "grammar:agents",
    source: "README, Embed it",
    behavior:
      "In a page, in practice and in the trainer's evaluations, a model can only call existing tools, unless an option turns that off. The record says so, and the trainer re-scores under the same mask.",
    tests: [
      "packages/embed/src/request-conversation.test.ts > calls are restricted to existing tools; of the site: %s",
      "packages/embed/src/request-conversation.test.ts > a page can override the restriction",
      "packages/agent/src/tool-call-constraint.test.ts > an unsupported schema falls back to tool names, a policy without grammars to none",
      "test/contract/constrained-rollout.test.ts > practice and evaluation are constrained by default, and only the mask explains their log-probs",
      "packages/agent/src/tool-call-constraint.test.ts > with constrainToolCalls every turn is sampled under the tools' grammar, which is recorded",
      "test/contract/constrained-rollout.test.ts > constrained turns are never unreadable, cut off or refused by their tools; free turns are",
    ],
  },
  {
    id: "text:bpe",
    source: "Sennrich et al. 2016, arXiv:1508.07909; byte level as in GPT-2",
    behavior: "The nano vocabulary is a real byte-level BPE that keeps any Unicode text.",
    tests: [
      "packages/text/src/bpe-trainer.test.ts > incremental counting learns the same merges as recounting",
      "packages/text/src/tokenizer.test.ts > any Unicode text survives encode and decode",
    ],
  },
  {
    id: "text:sentence-piece",
    source: "tokenizers 0.22, Hugging Face's Rust library; Transformers.js",
    behavior:
      "Tokenizers in the forms of Gemma 3 and Llama 2 give the ids and texts of Hugging Face's libraries, with ordinary added tokens in people's text.",
    tests: [
      "test/golden/tokenizers/tokenizers.test.ts > template text has the ids and the decoded text of the Rust library (%s)",
      "test/golden/tokenizers/tokenizers.test.ts > people's text has the same ids, unless it spells a control token (%s)",
      "test/golden/tokenizers/tokenizers.test.ts > any text has the ids of Transformers.js (%s)",
      "test/golden/tokenizers/tokenizers.test.ts > a streamed text loses the space that encoding adds, and no other",
      "test/golden/tokenizers/tokenizers.test.ts > a template without tool results says so when the first one arrives",
    ],
  },
  {
    id: "model:config",
    source: "Hugging Face config.json of the six types",
    behavior: "Configs are read member by member. Unsupported features are refused by name.",
    tests: [
      "packages/model/src/decoder/decoder-config.test.ts > a published qwen3 config is read member by member",
      "packages/model/src/decoder/decoder-config.test.ts > llama 3's frequency scaling is read from the layouts of transformers 4 and 5",
      "packages/model/src/decoder/decoder-config.test.ts > a config with an unsupported %s is refused by name",
      "packages/model/src/decoder/decoder-families.test.ts > a written %s config reads back equal",
    ],
  },
  {
    id: "model:logits-pytorch",
    source: "test/golden/decoder/generate.py (PyTorch, f64)",
    behavior:
      "Logits of tiny llama, qwen2, qwen3, gemma3, smollm3 and lfm2 checkpoints agree with PyTorch to 1e-4 in the inference graph, in Node and in the browser on WASM, and for qwen3 and llama also on WebGPU.",
    tests: [
      "test/golden/decoder/graph.test.ts > the inference graph of ${modelType} gives PyTorch's logits (${name})",
      "packages/runtime/src/golden-decoder.browser.test.ts > on %s, scores of a %s decoder equal PyTorch's to 1e-4",
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
    behavior: "Adapters are read, written and merged in PEFT's layout. Invalid ones are refused.",
    tests: [
      "packages/model/src/adapters/adapter.test.ts > tensors have Hugging Face's and PEFT's names and shapes",
      "packages/model/src/adapters/adapter.test.ts > merging adds alpha/rank times B·A",
      "packages/model/src/adapters/adapter.test.ts > an adapter for another decoder, of another rank or with non-finite numbers is refused",
    ],
  },
  {
    id: "model:formats",
    source: "docs/how-to/models-out.md",
    behavior:
      "Adapters and merged models move to PEFT and Transformers and back with the same logits, to 1e-4, byte for byte.",
    tests: [
      "test/golden/peft/peft.test.ts > an adapter that PEFT wrote gives PEFT's logits (%s)",
      "test/golden/peft/peft.test.ts > control: %s with %o differs from PEFT",
      "test/golden/peft/peft.test.ts > a model that Transformers merged and wrote in shards gives its logits",
      "test/golden/peft/peft.test.ts > save-model writes the bytes that PEFT and Transformers read, with our logits (%s)",
      "test/golden/peft/peft.test.ts > the ONNX file that save-model writes gives PEFT's logits on the inputs of Transformers.js",
      "packages/model/src/weights/merged-weights.test.ts > merging row by row equals merging all at once",
    ],
  },
  {
    id: "model:transformers-js",
    source: "docs/how-to/models-out.md; Transformers.js",
    behavior:
      "Transformers.js opens exported ONNX folders without options, and each prompt of a batch gets the text that it gets alone.",
    tests: [
      "test/contract/transformers-js.test.ts > a folder in $dtype opens without options, and a batch gives each prompt's text",
      "test/golden/decoder/options.test.ts > with Hugging Face's inputs rows of %s may be padded on the left, prefill and steps",
      "test/contract/transformers-js.test.ts > greedy text is the text of our own policy",
    ],
  },
  {
    id: "trainer:save-model",
    source: "docs/how-to/models-out.md",
    behavior:
      "A trained model is written completely or not at all, and a checkpoint resumes bit for bit, in the engine and from its files.",
    tests: [
      "trainer/src/save-model/save-command.test.ts > a checkpoint of a state folder continues bitwise equal, and is also an adapter",
      "trainer/src/save-model/save-command.test.ts > a stop leaves no files; existing output is only replaced on request, and only if save-model wrote it",
      "packages/engine/src/contract/resume.test.ts > %s, checkpointing %s: saving halfway and resuming in a new engine changes no bit",
    ],
  },
  {
    id: "trainer:schedules",
    source: "docs/how-to/models-out.md, Optimizer options",
    behavior: "The learning rate is constant or a cosine with warm-up, set on the command line.",
    tests: [
      "trainer/src/options/schedule-options.test.ts > the rate is constant, with a warm-up if requested",
      "trainer/src/options/schedule-options.test.ts > a cosine falls from the warm-up to a tenth of the peak, and stays there",
    ],
  },
  {
    id: "model:any-folder",
    source: "README, --model",
    behavior:
      "Any Hugging Face folder of the supported types runs, with shards, template files and several stop tokens.",
    tests: [
      "packages/model/src/files/model-folder.test.ts > the shards named by the index belong to the model",
      "packages/embed/src/policy-host.browser.test.ts > a page's policy uses shards, a template file and two stop tokens",
    ],
  },
  {
    id: "model:large-policy",
    source: "docs/how-to/your-own-site.md, A larger model",
    behavior:
      "The site's model is read by the worker in pieces, after a check of memory, and adapters over it compute what merged ones compute. Bytes of a quantized folder open too.",
    tests: [
      "packages/embed/src/real-model.browser.test.ts > the worker reads a large model in pieces, and computes what bytes and a merged adapter give",
      "packages/embed/src/real-model.browser.test.ts > a model that the device cannot hold is refused before its weights are fetched",
      "packages/runtime/src/worker/serve-policy.test.ts > the bytes of a model stored in %s compute what its numbers compute, with and without an adapter",
      "packages/runtime/src/store/model-memory.test.ts > counting what WebAssembly's heap keeps from loading, and nothing of the kind on a GPU",
    ],
  },
  {
    id: "model:compressed-objects",
    source: "docs/decisions/0099-compressed-objects.md",
    behavior:
      "An object is compressed once, by its uploader. The edge checks the compressed form, sends it to browsers without work in each request, and sends the object itself otherwise.",
    tests: [
      "workers/edge/src/routes/objects.test.ts > an object with a compressed form > is sent compressed, byte for byte as it was stored, with the length of these bytes",
      "workers/edge/src/routes/objects.test.ts > an object with a compressed form > is sent as it is to clients that do not accept gzip, and for ranges",
      "workers/edge/src/routes/objects.test.ts > an object without a compressed form is sent as it is to every client",
      "workers/edge/src/routes/objects.test.ts > an object with a compressed form > is sent as a whole to a client that goes on with bytes of the other form",
      "workers/edge/src/routes/objects.test.ts > a compressed form is refused > %s, and nothing is stored",
      "workers/edge/src/routes/objects.test.ts > a compressed form is refused > after the first bytes that are too many, and the rest is not decompressed",
      "trainer/src/edge/edge-client.test.ts > an object is sent once as it is, and once compressed where that saves something",
      "trainer/src/edge/edge-client.test.ts > %s gets an object without its compressed form",
      "packages/runtime/src/store/file-download.test.ts > a compressed body of a known size counts bytes as they are, and goes on with a range",
      "test/e2e/compressed-download.test.ts > a page counts the bytes of a compressed model from another origin as they are",
    ],
  },
  {
    id: "model:upload-in-parts",
    source: "docs/decisions/0081-model-files-in-parts.md",
    behavior:
      "A model file of any size reaches an edge in parts of at most 50 MB, verified by hash, resumed after a kill, by several trainers at once; what was given up is deleted.",
    tests: [
      "workers/edge/src/routes/object-parts.test.ts > an upload that was killed goes on with the missing parts, and nothing is readable before",
      "workers/edge/src/routes/object-parts.test.ts > a damaged part is refused and not stored",
      "workers/edge/src/routes/object-parts.test.ts > two trainers can upload one object at once",
      "workers/edge/src/routes/object-parts.test.ts > an operator sees unfinished uploads and ends one",
      "workers/edge/src/routes/object-parts.test.ts > parts that were given up are deleted after a week, and others are not",
      "trainer/src/edge/object-upload.test.ts > an upload that stopped sends only the parts that are missing",
      "trainer/src/commands/uploads-command.test.ts > lists unfinished uploads with their size and last part",
    ],
  },
  {
    id: "model:folder-loop",
    source: "README, --model",
    behavior:
      "A generated llama folder is read completely, sampled, re-scored and judged like the nano model.",
    tests: [
      "test/contract/model-folder.test.ts > the folder is read completely: shards, template, every stop token, context length",
      "test/contract/model-folder.test.ts > its trajectories in the shop are re-scored and judged by the trainer",
    ],
  },
  {
    id: "model:command",
    source: "docs/how-to/your-own-site.md, A larger model",
    behavior:
      "`waggle model` checks, converts, measures and serves a folder or a repository of the Hub, continues a killed run, and refuses what pages cannot use before the weights are read.",
    tests: [
      "test/contract/model-command.test.ts > a %s is checked, converted to %s and measured, and a page gets the tokens of the folder",
      "test/contract/model-command.test.ts > a download that is killed continues, and leaves no folder that looks complete",
      "test/contract/model-command.test.ts > each folder that cannot be used is refused before its weights are read, with what to do",
      "test/contract/model-command.test.ts > a name that the Hub does not have, a private model and a missing folder are told apart",
      "packages/cli/src/model/model-command.test.ts > a model that is too large for a phone or for this machine says what to do",
      "test/e2e/model.test.ts > a converted model is served with a trainer and without one",
      "test/e2e/model.test.ts > an edge without a trainer serves the base that waggle dev publishes",
    ],
  },
  {
    id: "model:stored-format",
    source: "docs/how-to/your-own-site.md, A larger model",
    behavior:
      "A quantized folder is trained over its stored weights, and a refusal of another format says what to pass.",
    tests: [
      "trainer/src/model/trainable-models.test.ts > a trained %s in %s samples as it trains: log-probs agree to 1e-4",
      "trainer/src/model/trainable-models.test.ts > weights that are stored in 4 bits are trained only as such, and the refusal says what to pass",
    ],
  },
];
