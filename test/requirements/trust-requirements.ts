/** Requirements of the trainer against visitors who try to teach a policy something wrong. Pure data. */
import type { Requirement } from "./requirement.ts";

const poison = (...names: readonly string[]): string[] =>
  names.map((name) => `trainer/src/check/poison.test.ts > ${name}`);

export const TRUST_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "trust:forged",
    source:
      "Baumgärtner et al. 2024, arXiv:2404.05530; Prime Intellect Team 2025, INTELLECT-2, arXiv:2505.07291",
    behavior:
      "Forging a third of each group changes no learned number, although it would if it were believed.",
    tests: [
      ...poison(
        "forged rollouts are refused and change no number",
        "control: if believed, the same forgeries move the policy beyond the bound",
      ),
      "trainer/src/check/trajectory-check.test.ts > rejected as %s: %s",
    ],
  },
  {
    id: "trust:one-visitor",
    source: "docs/design.md, decision 4",
    behavior:
      "No visitor has more than a given share of a step. A flood of rollouts that pass every check, chosen for their effect, moves the policy only within a bound, and further without it. Visitors under many names are not limited by it.",
    tests: [
      ...poison(
        "a flood of %i chosen groups per step moves the policy less than the bound",
        "control: without a cap on one visitor, the same flood moves the policy beyond the bound",
        "limit: an attacker with twelve visitor names is not capped as one visitor",
      ),
      "trainer/src/update/learning-step.test.ts > no visitor exceeds the cap on its share of a step",
      "packages/learning/src/advantages/influence-bound.test.ts > agrees with bisection for random weights",
      "packages/learning/src/advantages/influence-bound.test.ts > one or two weighted contributors among more participants count nothing",
    ],
  },
  {
    id: "trust:one-bad-record",
    source: "docs/design.md, decision 4",
    behavior:
      "One bad record blocks no other. It is refused at upload, rejected alone in a lease and in the trainer's check, and becomes a dead letter if no lease of it succeeds.",
    tests: [
      "workers/edge/src/records.test.ts > an upload with unsorted kept ids is refused, and the rest of the batch is stored",
      "workers/edge/src/records.test.ts > missing, damaged, oversized or outdated objects are left out of a lease",
      "workers/edge/src/records.test.ts > becomes a dead letter after 5 leases, while other groups are learned from",
      "trainer/src/check/contained-check.test.ts > an exception in the check of one trajectory rejects that trajectory only",
      "trainer/src/check/trajectory-check.property.test.ts > with re-scoring replaced by a stub",
    ],
  },
  {
    id: "trust:bounded-bytes",
    source: "docs/design.md, decision 4",
    behavior:
      "Uploads are limited by their decoded bytes per visitor, address prefix, group and lease, and by the context length of the model.",
    tests: [
      "workers/edge/src/byte-quota.test.ts > the decoded bytes of a group and of a lease are limited",
      "workers/edge/src/byte-quota.test.ts > bytes per hour of a visitor and a network are limited, and the page is told when to retry",
      "workers/edge/src/byte-quota.test.ts > a path longer than the model's context is refused at upload",
    ],
  },
  {
    id: "collector:redaction",
    source: "docs/design.md, decision 1",
    behavior:
      "Personal data of a visitor is replaced by typed placeholders before tokenization. The map stays in memory, and page tools get the original values. Practice tasks are not redacted.",
    tests: [
      "packages/collector/src/redaction/redactor.test.ts > redaction is idempotent on any text",
      "packages/collector/src/redaction/redactor.test.ts > an e-mail address is redacted in any surroundings",
      "packages/collector/src/redaction/detection.test.ts > My name is on the list already.",
      "packages/collector/src/redaction/lazy-redactor.test.ts > a value that was not prepared is refused instead of passed",
      "test/contract/redaction.test.ts > a value is found if all of it is replaced, and a span is right if little else is",
      "packages/agent/src/roll-out-text.test.ts > personal data appears in no token and no record, and only page tools receive it",
      "test/contract/practice-replay.test.ts > a visitor's own request is redacted on the same page",
    ],
  },
  {
    id: "collector:secret-fields",
    source: "issue 19, part 4",
    behavior:
      "Values of fields that are named like secrets reach neither the model nor an upload. A rollout whose sampled tokens hold such a value is not kept.",
    tests: [
      "packages/collector/src/redaction/redactor.test.ts > their whole value is replaced, whatever it looks like",
      "packages/collector/src/redaction/redactor.test.ts > the schema of a call's arguments can say that a field is secret",
      "packages/agent/src/roll-out-text.test.ts > a rollout whose call holds a secret has no consent to be kept",
    ],
  },
  {
    id: "gate:probes",
    source: "issue 18, part 5",
    behavior:
      "The gate refuses a candidate that flatters, begs for thumbs, refuses hard requests, answers at length or neglects a kind of request more than the base model does. Trainer and edge decide from the same counts.",
    tests: [
      "packages/evaluation/src/probes.test.ts > %s that rises by more than chance is refused",
      "packages/evaluation/src/probes.test.ts > a kind that falls is refused although the others rise",
      "packages/evaluation/src/probes.test.ts > of 400 equal candidates, few are refused",
      "packages/evaluation/src/probes.test.ts > an evaluation without probes, or with too few tasks, is refused where the gate needs them",
      "trainer/src/probes/probe-check.test.ts > a candidate that begs is refused, and the version keeps the counts",
      "trainer/src/probes/probe-learning.test.ts > %s, seed %i: the naive recipe fails the probe and the shipped one does not",
      "trainer/src/check/feedback-check.test.ts > a thumb up for an answer that asks for it counts as a thumb down",
      "workers/edge/src/routes/publishing.test.ts > where the gate needs probes, an evaluation without them, with too few, or with a fault is refused",
      "apps/dashboard/src/policy-view.browser.test.ts > the probes of the newest evaluated version are listed with their verdicts",
    ],
  },
];
