/**
 * Banned words with their replacements and exceptions. The meanings of words are in docs/reference/words.md, and
 * names that are stored, sent or printed keep their spelling. `catalogue` and `dialogue` are American spellings too.
 */
export type BannedWord = {
  readonly name: string;
  /** Searched in identifiers, comments, strings and pages. */
  readonly pattern: RegExp;
  readonly instead: string;
  /** The only files that are searched; default all. */
  readonly within?: string;
  /** Files in which the word has another meaning, with that meaning. */
  readonly except?: { readonly [path: string]: string };
};

/** The list. */
export const BANNED_WORDS: readonly BannedWord[] = [
  {
    name: "episode",
    pattern: /episode/i,
    instead: "trajectory",
    except: {
      "trainer/src/**/run-spending.ts": "a stored and printed field",
      "trainer/src/**/spent.ts": "a stored and printed field",
      "trainer/src/evidence/**": "a field of stored runs",
      "trainer/src/loop/run-migration.ts": "a name of the first version",
    },
  },
  {
    name: "attempt",
    // The recipe setting `attempts` is stored, so it keeps its name where it is given or taken.
    pattern: /attempt(?!s(?:\??:|[,);"}\]`]| }| -))/i,
    instead: "rollout or trajectory; trial, retry or request where it is one",
    except: {
      "packages/runtime/src/**": "repeated requests and reads",
      "packages/engine/src/remote/**": "repeated requests",
      "trainer/src/edge/*": "repeated requests",
      "trainer/src/checkpoint/trainer-state.ts": "repeated requests",
      "scripts/**": "repeated commands and requests",
      "packages/learning/src/**/{semantic-comparison,prompt-writing,evolving-judge,text-edits,texts.test}.ts":
        "prompts to a model, in everyday English",
      "trainer/src/recipes/http-writer.ts": "a prompt to a model, in everyday English",
      "trainer/src/expectations/text-expectations.fixture.ts":
        "prompts to a model, in everyday English",
      "packages/learning/src/**/task-statistics.ts": "a field of stored statistics",
      "packages/learning/src/filters/selection.ts": "`attempts-that`, a stored name of a part",
      "docs/reference/parts.md": "`attempts-that`, a stored name of a part",
    },
  },
  {
    name: "lag",
    // The setting `lag` and the metrics `lagMean` and `lagMost` are stored, so they keep their names.
    pattern: /(?<!settings\.)\blag(s|ging)?\b(?!\??:|,| }|\W*$)|[a-z]Lag|LAGS?\b(?<!FLAGS?)/,
    instead: "staleness, or age in versions",
    except: {
      "trainer/src/options/overlap-options.ts": "the option `--max-lag`",
      "trainer/src/commands/{learn-command,program.test}.ts":
        "a printed measurement and `--max-lag`",
      "trainer/src/trials/{staleness,committed-runs.test}.ts": "names of stored runs",
      "docs/reference/commands.md": "the option `--max-lag`",
      "docs/how-to/asynchrony.md": "the setting `lag`, `--max-lag` and a printed measurement",
    },
  },
  {
    name: "family",
    pattern: /(?<!model |decoder-|font-|GRPO |its )famil(y|ies)/i,
    instead: "environment, or kind of task",
    except: {
      "trainer/src/pretrain/{held-out,model-card}.ts": "`families`, a field of stored reports",
      "packages/environments/src/transcript.fixture.ts": "a field of golden files",
      "apps/demo/src/environment/*.test.ts": "a field of golden files",
      "test/golden/decoder/*": "families of decoders",
    },
  },
  {
    name: "score",
    // To score tokens is to compute their log-probs; a scorer does that.
    pattern:
      /(?<!\bre-?|\bz-|Wilson |policy\.|session\.|reward_|EChart|")scor(e|ing)(?!r|-function|\.(weight|bias)|")/i,
    instead: "reward",
    except: {
      "packages/{protocol,runtime,testing}/**": "log-probs of given tokens",
      "packages/agent/src/{forwarding-policy,scripted-policy,roll-out.test}.ts":
        "log-probs of given tokens",
      "packages/exchange/src/token-rows.ts": "log-probs of given tokens",
      "docs/how-to/{exchange,runtime,sampler}.md": "log-probs of given tokens",
      "packages/learning/src/rewards/calibration.ts": "a proper scoring rule",
      "packages/learning/src/recipes/{literature.json,imitation/teachers.ts}":
        "the title of a paper and its output",
      "packages/learning/src/recipes/offline/values.ts":
        "`score`, the parameters of the value head",
      "packages/model/src/**": "scores of attention, and the parameters `score` of the value head",
      "packages/engine/**": "scores of attention",
      "packages/environments/src/library/*": "BM25 scores of documents",
      "packages/environments/src/variants/evidenced.ts": "the title of a paper's output",
      "packages/learning/src/rollouts/{tree-search,tree-search.test,tree-selection,branching.test}.ts":
        "selection scores of a tree search",
      "packages/learning/src/advantages/optimal-token-baseline.ts":
        "the score function, the gradient of a log-prob",
      "packages/learning/src/losses/imitation/{contrastive,distillation,imitation-losses.test}.ts":
        "log-probs of given tokens",
      "packages/learning/src/losses/preference/kto.ts": "log-probs of given tokens",
      "packages/learning/src/{composition/stage,rewards/learned-rewards,rewards/outcome}.ts":
        "`score`, a stored choice of a setting, and `scores`, a stored kind of stage",
      "trainer/src/**/{served-sampler,teacher-candidates,distance,trajectory-check,redraw,rescoring}*.ts":
        "log-probs of given tokens",
      "trainer/src/expectations/{case-learning.test,recipe-update.fixture}.ts":
        "log-probs of given tokens",
      "trainer/src/model/trainable-models.test.ts": "log-probs of given tokens",
      "trainer/src/pretrain/*": "`scores`, a field of stored reports",
      "trainer/src/recipes/edge-misfit-text.ts": "`scores`, a stored kind of stage",
      "test/{contract,golden,requirements}/**": "log-probs of given tokens",
      "packages/dev/src/loop/report.ts": "log-probs of given tokens",
      "scripts/testing/tamper/claimed-record.ts": "log-probs of given tokens",
    },
  },
  {
    name: "made",
    pattern:
      /\b(const|let|of|function) (\{ [^}]*: )?made\b|\bmade([A-Z]|[.[(]\w)|\(made\b|\bMADE_|[a-z]Made[A-Z]/,
    instead: "a name that says what it is",
  },
  {
    name: "words",
    pattern: /\bwords?\b(?=[.:)\]=]| =)|[a-z]Words?\b/,
    within: "{packages/learning/src/composition,trainer/src/{options,recipes,commands}}/**",
    instead: "choices of an option, or text",
  },
  {
    name: "standard",
    pattern:
      /\bstandards?\b(?! (deviation|error|normal|input|output|format))|[a-z]Standard(?!Normal|Error)/,
    instead: "default",
    except: {
      "scripts/{loop,checking/changed-files}.ts": "standard output, and an option of git",
      "{packages/agent/src/{tools,environments/define}/*,docs/how-to/your-own-site.md}":
        "Standard Schema",
      "packages/agent/src/mcp-session.test.ts": "a class of the MCP SDK",
    },
  },
  {
    name: "shelf",
    pattern: /shel(f|ves)/i,
    instead: "cache or store",
    except: {
      "trainer/src/loop/run-migration.ts": "a name of the first version",
    },
  },
  {
    name: "world",
    pattern:
      /(?<!real-|real |Hello, |hello |hello, )\bworlds?\b(?![- ]?models?)|World(?! ?[Mm]odel)/,
    instead: "environment",
    except: {
      "packages/environments/src/world-model-text.ts":
        "the prompt that world models were trained with",
      "packages/runtime/src/chat/policy-chat.test.ts": "a text that a model says",
      "packages/learning/src/rollouts/demonstration-form.ts":
        "the demonstration form `world`, a stored name",
      "packages/learning/src/recipes/imitation/task-forms.ts":
        "the demonstration form `world`, and the title of a paper",
      "packages/learning/src/recipes/imitation/token-losses.ts":
        "the name of a stage, which `train -- --list` prints",
      "packages/learning/src/recipes/{literature.json,environments/simulated.ts}":
        "titles of papers",
      "packages/learning/src/recipes/offline/online.ts": "the title of a paper",
      "packages/learning/src/recipes/policy-gradient/critics.ts": "the title of a paper",
      "packages/environments/src/variants/task-forms.ts":
        "the demonstration form `world`, a stored name",
      "workers/edge/src/routes/{mcp,mcp.test}.ts": "`openWorldHint`, a name of MCP",
    },
  },
  {
    name: "book",
    pattern: /(?<=[a-z]-)book\b|[a-z]Book\b/,
    instead: "store",
  },
  {
    name: "dial",
    pattern: /\bdials?\b|[a-z]Dials?\b/,
    instead: "option, setting or difficulty level",
  },
  {
    name: "British spelling",
    pattern:
      /behaviour|(?<![A-Z])colour|(normal|serial|token|initial|quant|summar|general|recogn|linear|penal|organ|regular|minim|maxim)is[ei]|optimis[ei]|neighbour|favour|modell(ed|ing)|labell(ed(?!by)|ing)|travell(ed|ing)|signall(ed|ing)|cancell(ed|ing)|licence|defence|\bcentred?\b|judgement/i,
    instead: "the American spelling",
    except: {
      "packages/environments/src/transcript.fixture.ts": "`judgement`, a field of golden files",
      "packages/learning/src/golden/losses.py": "`normalised`, a field of golden files",
    },
  },
];
