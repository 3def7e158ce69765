/** Requirements of exporters and importers. Pure data. */
import type { Requirement } from "./requirement.ts";

export const EXCHANGE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "exchange:rl-files",
    source: "verl b178a3c, prime-rl 559b447",
    behavior:
      "verl's Parquet and prime-rl's samples contain ids, masks, behavior log-probs, versions, groups and rewards as recorded. Shared tokens are trained once, forced tokens not at all.",
    tests: [
      "packages/exchange/src/token-files.test.ts > verl's Parquet file preserves every column, including branches and missing rewards",
      "packages/exchange/src/token-files.test.ts > prime-rl's samples are arrays in the field order of its struct",
      "packages/exchange/src/token-files.test.ts > tokens sampled with restricted support are masked out unless requested",
    ],
  },
  {
    id: "exchange:same-loss",
    source: "docs/how-to/exchange.md",
    behavior:
      "A loss computed from an exported file in plain loops agrees with that of our recipes on the same batch to 1e-6.",
    tests: [
      "trainer/src/exchange/exported-loss.test.ts > GRPO from verl's Parquet equals ours to 1e-6",
      "trainer/src/exchange/exported-loss.test.ts > Dr. GRPO with truncated weights from verl's Parquet equals ours to 1e-6",
      "trainer/src/exchange/exported-loss.test.ts > both losses from prime-rl's samples, whose advantages are in the file, equal ours to 1e-6",
      "trainer/src/exchange/exported-loss.test.ts > both losses from ATIF's documents, with the tokens of their inferences, equal ours to 1e-6",
      "trainer/src/exchange/exported-loss.test.ts > the supervised loss from TRL's rows of tokens equals ours to 1e-6",
      "trainer/src/exchange/exported-loss.test.ts > the DPO loss of the file's pairs equals that of the recorded tokens to 1e-6",
      "trainer/src/exchange/exported-loss.test.ts > the KTO loss of the file's rows equals that of the recorded tokens to 1e-6",
      "trainer/src/exchange/exported-loss.test.ts > a file with log-probs or rewards out of order has another loss, so the comparison can fail",
    ],
  },
  {
    id: "exchange:text",
    source: "docs/design.md, decision 1",
    behavior:
      "The text of a trajectory renders to the recorded tokens again. A prompt that cannot be separated from the template is refused instead of guessed.",
    tests: [
      "packages/exchange/src/trajectory-text.test.ts > rendering the text gives the recorded tokens, and the mask covers the sampled ones",
      "packages/exchange/src/trajectory-text.test.ts > without a task, the prompt is the text between the template's tokens",
      "packages/exchange/src/trajectory-text.test.ts > sorted keys are restored to their order in the tokens",
      "packages/exchange/src/trajectory-text.test.ts > an earlier request becomes context, with its results read from the tokens",
      "packages/exchange/src/trajectory-text.test.ts > a prompt that cannot be separated from the template is refused",
    ],
  },
  {
    id: "exchange:recorded-tokens",
    source: "docs/how-to/exchange.md, text that gives the recorded tokens",
    behavior:
      "TRL's rows give the recorded tokens when they are rendered and tokenized as TRL does, or are left out and counted by reason. ADP has the tokens where its text does not give them.",
    tests: [
      "packages/exchange/src/recorded-messages.test.ts > calls are %s",
      "packages/exchange/src/recorded-messages.test.ts > only the turn that the policy wrote otherwise has its call in the content",
      "packages/exchange/src/recorded-messages.test.ts > %s has the text of all tokens, with a template that keeps it",
      "packages/exchange/src/recorded-messages.test.ts > text that names a special token gives no row, because a trainer would read the token",
      "packages/exchange/src/recorded-messages.test.ts > both completions of a pair continue the same prompt, also where one was cut",
      "packages/exchange/src/recorded-messages.test.ts > ADP has the tokens beside the text, where the text does not give them",
      "trainer/src/exchange/commands.test.ts > text rows are counted by how they give the recorded tokens, and --tokens exports all",
      "test/contract/exported-rows.test.ts > 33 of 36 rows of %s give the recorded text",
      "test/contract/exported-rows.test.ts > 33 of 39 rows of %s give the recorded text",
      "packages/text/src/nano-template.test.ts > the template for training renders the same text",
      "trainer/src/files/training-template.test.ts > a marked template is written beside a model of ours, and beside no other",
    ],
  },
  {
    id: "exchange:text-formats",
    source: "TRL f2cd577, Agent Data Protocol 1.2.0, ATIF-v1.7",
    behavior:
      "TRL's SFT, DPO and KTO rows, ADP and ATIF convert back to the original conversations. ATIF has one step per inference, with its tokens.",
    tests: [
      "packages/exchange/src/trl.test.ts > an SFT row has messages in TRL's format and survives a round trip",
      "packages/exchange/src/trl.test.ts > a preference row is read as two conversations with the same pair id",
      "packages/exchange/src/trl.test.ts > an unpaired row has the verifier's label, and there is no row without a label",
      "packages/exchange/src/adp.test.ts > turns, calls, results, system and tools survive a round trip",
      "packages/exchange/src/atif.test.ts > turns, calls, results and tokens %s survive a round trip",
      "packages/exchange/src/atif.test.ts > control: the reader refuses %s",
      "packages/exchange/src/atif.test.ts > a document has one step per inference, with tokens, log-probs and matching call ids",
    ],
  },
  {
    id: "exchange:import",
    source: "docs/how-to/exchange.md",
    behavior:
      "Conversations in ADP, OpenAI and TRL files can be trained on. Those that do not fit are counted by reason.",
    tests: [
      "packages/exchange/src/trl.test.ts > reads OpenAI's rows with string arguments, legacy calls, text parts, weights and preferences",
      "packages/exchange/src/adp.test.ts > reads third-party trajectories with older sources, code, web pages and call ids",
      "trainer/src/exchange/exported-loss.test.ts > imitation steps on written conversations raise their likelihood",
      "trainer/src/exchange/commands.test.ts > exported files can be imported as conversations, with refusals counted by reason",
      "trainer/src/exchange/commands.test.ts > imported conversations train an adapter that other tools can open, and some are held out",
    ],
  },
  {
    id: "exchange:commands",
    source: "docs/how-to/exchange.md",
    behavior:
      "npm run export reads an edge without changing it, leaves out trajectories without consent or verdict, and overwrites nothing.",
    tests: [
      "trainer/src/exchange/commands.test.ts > every format is exported from an edge, with counts",
      "trainer/src/exchange/commands.test.ts > an export from a waggle file is the same as from the edge, without visitors",
      "trainer/src/exchange/commands.test.ts > trajectories without consent, without a verdict or forgotten in the meantime are left out",
      "trainer/src/exchange/commands.test.ts > existing output is kept unless --force is given",
      "trainer/src/exchange/commands.test.ts > an empty export is an error that gives the reasons and leaves no file",
    ],
  },
  {
    id: "exchange:publish",
    source: "docs/how-to/models-out.md",
    behavior:
      "waggle publish evaluates an adapter trained elsewhere beside the stable version and promotes it through the gate, once. One that fails is recorded and never served.",
    tests: [
      "test/e2e/publish.test.ts > an adapter that passes the gate becomes stable once, and one that fails is never served",
      "test/e2e/publish.test.ts > a folder that PEFT wrote passes the gate and runs in the page of a visitor, and a destructive one does not",
      "test/golden/peft/peft.test.ts > the adapter of the nano model that PEFT wrote gives PEFT's logits",
      "trainer/src/commands/publish-command.test.ts > an adapter folder is evaluated beside the stable version, published and promoted, once",
      "trainer/src/commands/publish-command.test.ts > a folder that does not fit is refused before anything is sent",
      "trainer/src/commands/publish-command.test.ts > an adapter that is not served is an error with the figures, after its JSON",
      "trainer/src/sink/adapter-publication.test.ts > an adapter that fails the gate is recorded with its figures and never served",
      "trainer/src/sink/adapter-publication.test.ts > if a trainer promotes a version meanwhile, the adapter is compared with that one",
      "trainer/src/sink/adapter-publication.test.ts > an adapter on the canary channel that became stale is rolled back and compared again",
      "trainer/src/sink/adapter-publication.test.ts > a publication that was killed before its promotion is completed by the next run",
      "trainer/src/sink/adapter-publication.test.ts > nothing is published after Ctrl-C, under a freeze or with too few tasks",
    ],
  },
];
