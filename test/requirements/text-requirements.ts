/** Requirements of learning without gradients: texts, prompts, cases, and how they reach a page. Pure data. */
import type { Requirement } from "./requirement.ts";

export const TEXT_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "text:case-choice",
    source: "Zhou et al. 2025, arXiv:2508.16153 (soft Q-learning over cases)",
    behavior:
      "Cases are chosen by the softmax of their values, the gradients are exact, and a learned choice beats a random one and one from shuffled rewards while weights stay fixed.",
    tests: [
      "packages/learning/src/states/case-policy.test.ts > probabilities are the softmax of values, and the soft value is their free energy",
      "packages/learning/src/states/case-policy.test.ts > the gradients are those of central differences",
      "packages/learning/src/states/case-policy.test.ts > a learned choice of cases beats a random one; with shuffled rewards it does not",
      "trainer/src/expectations/case-learning.test.ts > a learned choice of cases beats a random choice and shuffled rewards, with frozen weights",
      "trainer/src/expectations/case-learning.test.ts > held-out success rises above that of an empty memory, and the memory can be saved",
    ],
  },
  {
    id: "text:recipes",
    source:
      "Cai et al. 2025, arXiv:2510.08191; Zhou et al. 2025, arXiv:2512.01945; and the others that its recipes name",
    behavior:
      "Recipes that write texts or cases change no parameter but change what the next rollouts read. They show the difference that their papers describe, which plain GRPO does not.",
    tests: [
      "trainer/src/expectations/writing-update.test.ts > %s writes, and parameters stay fixed",
      "trainer/src/expectations/writing-update.test.ts > every recipe of texts and cases has an expectation",
    ],
  },
  {
    id: "text:writer",
    source: "docs/design.md; OpenAI's chat completions",
    behavior:
      "A writer is any server with that API. Its failures are typed and retried, its texts are data, and a recipe without one is refused with the option that names one.",
    tests: [
      "trainer/src/recipes/http-writer.test.ts > a recorded writer compares a group, and its edits form a library",
      "trainer/src/recipes/http-writer.test.ts > a request that was not recorded is refused",
      "trainer/src/recipes/http-writer.test.ts > a busy server is retried, and a timeout is a retryable failure",
      "trainer/src/recipes/http-writer.test.ts > without a writer, %s is refused with the option that names one",
    ],
  },
  {
    id: "text:guidance-hostile",
    source: "docs/design.md, decisions 1 and 4",
    behavior:
      "Learned text is limited in size, checked against its hash, refused if invalid, and tokenized as plain text.",
    tests: [
      "packages/protocol/src/guidance.test.ts > %s is refused",
      "packages/protocol/src/guidance.test.ts > invalid JSON, invalid UTF-8 and oversized guidance are refused",
      "packages/agent/src/guided-environment.test.ts > guidance that spells special tokens is encoded as plain text",
      "packages/embed/src/version-texts.test.ts > a version whose guidance %s is refused, and the earlier one stays",
    ],
  },
  {
    id: "text:channel",
    source: "docs/design.md, the life of a trajectory",
    behavior:
      "Text is a policy version. It is published to the canary (without an evaluation only on request), promoted, rolled back, read at the next request of an open page, and read again when its rollouts are replayed.",
    tests: [
      "workers/edge/src/routes/policies.test.ts > refuses text without an evaluation unless the publisher asks for it, and an adapter always",
      "workers/edge/src/routes/policies.test.ts > allows an unevaluated text over the parent's adapter as canary, and as stable only by the operator",
      "packages/agent/src/guided-environment.test.ts > a conversation continues under a version with equal guidance and restarts under any other",
      "trainer/src/commands/publish-text.test.ts > text is published, promoted and rolled back like an adapter",
      "trainer/src/check/guided-replay.test.ts > guidance that differs from the version's is refused, and so is missing guidance",
      "test/e2e/visitor.test.ts > text on the policy channel is read at the next request of an open page, until it is rolled back",
    ],
  },
  {
    id: "learning:reading-base",
    source: "issue 5, learning without gradients; docs/evidence/learning-text.md",
    behavior:
      "An environment can train its base to use texts, with cases in the format of rollouts that reveal nothing about its tasks. Other bases are trained as before.",
    tests: [
      "trainer/src/pretrain/base-demonstration.test.ts > reading lessons start like rollouts that read, at the environment's rate",
      "trainer/src/pretrain/base-demonstration.test.ts > an environment without reading lessons uses its demonstrations unchanged",
      "packages/environments/src/recall.test.ts > a reader repeats the lever of a rewarded case and avoids that of an unrewarded one",
      "packages/environments/src/recall.test.ts > every lever is rewarded equally often under every light",
    ],
  },
];
