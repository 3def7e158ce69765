/** Requirements of asynchronous training: overlapping rollouts, stale samples, and feedback. Pure data. */
import type { Requirement } from "./requirement.ts";

const learning = (file: string, ...names: readonly string[]): string[] =>
  names.map((name) => `packages/learning/src/${file} > ${name}`);
const trainer = (file: string, ...names: readonly string[]): string[] =>
  names.map((name) => `trainer/src/${file} > ${name}`);

export const ASYNCHRONY_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "asynchrony:limits",
    source: "Fu et al. 2025, arXiv:2505.24298; issue: learning, item 5",
    behavior:
      "Capacity and staleness limits hold for any interleaving, nothing is dropped silently, and no interleaving ends in a deadlock.",
    tests: [
      ...learning(
        "rollouts/rollout-flow.test.ts",
        "capacity and staleness limits hold for any interleaving",
        "nothing is dropped silently: every started rollout runs, waits, is learned or is counted",
        "no interleaving ends in a deadlock",
        "a continued rollout's staleness counts from its oldest token, not from its start",
      ),
      ...trainer(
        "loop/overlapped-steps.test.ts",
        "in any order of completion, no step gets too many or too old rollouts, and all are counted",
        "rollouts continue during a step",
        "a limit of 0 is synchronous: no rollout begins before the step is published",
        "an abort ends the run after all running work has ended",
      ),
    ],
  },
  {
    id: "asynchrony:versions",
    source: "Fu et al. 2025, arXiv:2505.24298; issue: learning, item 5",
    behavior:
      "Every token records the version that sampled it. Rollouts continue under a newer version between turns or within a generation, and the record can be re-scored.",
    tests: [
      "test/contract/swapping-policy.test.ts > a generation continues under a new version, and each token has the log-prob of its sampler",
      "test/contract/swapping-policy.test.ts > with swaps between turns, the next turn uses the new version and the previous one keeps the old",
      ...trainer(
        "loop/overlapped-stage.test.ts",
        "each step trains on whole groups within the staleness limit, swaps: %s",
      ),
      "packages/agent/src/trajectory-record.test.ts > a turn sampled by two versions records both spans, and the upload schema refuses it",
    ],
  },
  {
    id: "asynchrony:staleness",
    source: "issue: learning, item 5",
    behavior:
      "Learning survives samplers that are 1, 4 and 8 steps old with importance weights and is worse without them. The evidence page follows from its runs.",
    tests: [
      ...learning(
        "corrections/staleness-learn.test.ts",
        "with weights, learning works with samplers %i steps old",
        "without weights it fails at 8 steps, although it works with fresh samples",
      ),
      ...trainer(
        "trials/committed-runs.test.ts",
        "$name: the page is generated from its runs",
        "with weights, learning survives samplers eight steps old, and without weights it does not",
      ),
    ],
  },
  {
    id: "trainer:labels-and-pairs",
    source:
      "issue 18, part 2; docs/how-to/learn-from-feedback.md, Labels and Pairs; docs/decisions/0093-labels-and-pairs-over-an-edge.md",
    behavior:
      "KTO on feedback and DPO on corrections train from an edge, with the base as the reference. Both learn what people want, and nothing from shuffled labels or sides. No sender exceeds its share of the gradient.",
    tests: [
      "packages/learning/src/losses/preference/preference-loss-parts.test.ts > kto with balanced weights gives the rarer label the same sum as the other",
      "packages/learning/src/losses/preference/preference-loss-parts.test.ts > %s multiplies an answer or a pair by its weight",
      "packages/learning/src/influence/gradient-mass.test.ts > the mass of derivatives is that of the advantages that cause them",
      "trainer/src/edge-training/feedback-learning.test.ts > with shuffled labels, KTO does not learn what people like",
      "trainer/src/check/pair-learning.test.ts > answers that %s wrote become likelier than those that the policy gave; with shuffled sides they do not",
      "trainer/src/edge-training/learned-from.test.ts > a pair is leased, learned and counted as one request of its visitor, without an advantage",
      "trainer/src/check/feedback-check.test.ts > for pairs, the answer that was given is learned beside the edited one, as the rejected side",
      "trainer/src/update/bounded-gradients.test.ts > %s: no visitor exceeds the cap on its share of a step's gradient",
      "trainer/src/update/bounded-gradients.test.ts > a reputation scales a visitor's gradient, and earlier steps count",
      "trainer/src/update/bounded-gradients.test.ts > one visitor alone among others without a signal decides nothing",
    ],
  },
  {
    id: "feedback:thumbs",
    source: "Ethayarajh et al. 2024, arXiv:2402.01306; Liu et al. 2025, arXiv:2506.24119",
    behavior:
      "KTO and REINFORCE with a moving baseline learn from thumbs alone although a tenth of them is wrong. They do not learn to agree with wrong users, and learn nothing from uninformative thumbs.",
    tests: [
      ...trainer(
        "expectations/feedback-update.test.ts",
        "%s raises liked rollouts, against the verifier",
        "the control: plain GRPO raises what the verifier rewards, which these visitors dislike",
        "rollouts without feedback have no reward and do not count as disliked",
      ),
      ...trainer(
        "trials/committed-runs.test.ts",
        "%s learns from thumbs alone and does not learn to agree",
      ),
      "packages/environments/src/visitors.test.ts > with noise 0.1 a tenth of the thumbs is flipped, with 0.5 they carry no information",
    ],
  },
];
