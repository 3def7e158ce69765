/** Requirements of consents: what ends one, and what the edge takes only under one that holds. Pure data. */
import type { Requirement } from "./requirement.ts";

const rotation = (name: string): string =>
  `packages/collector/src/rotate-pseudonym.test.ts > ${name}`;
const receipts = (name: string): string =>
  `packages/collector/src/consent-receipts.test.ts > ${name}`;

export const CONSENT_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "consent:tabs",
    source: "issue 19, item 4; docs/decisions/0100-withdrawals-arrive.md",
    behavior:
      "All open tabs of a browser use one id, and hear of a consent and a withdrawal of another tab.",
    tests: [
      rotation(
        "another open tab leaves the id with the tab that rotates, in the middle of its session",
      ),
      rotation("tabs that open a session at the same time agree on one id"),
      rotation("a withdrawal in a tab that has not heard of a rotation covers the new id as well"),
      "packages/collector/src/consent-tabs.browser.test.ts > a tab hears when another one records, declines and withdraws a consent",
    ],
  },
  {
    id: "consent:withdrawals-arrive",
    source: "issue 19, item 4; docs/decisions/0100-withdrawals-arrive.md",
    behavior:
      "A withdrawal covers all ids of the browser, and is sent until the edge confirms it. Until then the panel says so.",
    tests: [
      rotation(
        "a withdrawal covers all ids, one after the other with a pause, and forget me still reaches all",
      ),
      receipts(
        "a withdrawal that is answered with %i is sent again until the edge confirms it, after longer and longer pauses",
      ),
      receipts(
        "a withdrawal waits for as long as the edge asks, and no withdrawal waits for that of another id for ever",
      ),
      receipts(
        "a page whose key the edge does not know asks once, and the next visit sends the withdrawal",
      ),
      rotation("a page that opens in the pause between two ids goes on with it"),
      "packages/embed/src/collecting.test.ts > a withdrawal in a page that was closed before it loaded the code is sent by the next page",
      "packages/embed/src/element/consent-choices.browser.test.ts > the privacy view says that a withdrawal is pending until the site has confirmed it",
    ],
  },
  {
    id: "consent:holds-now",
    source: "issue 19, item 4; docs/decisions/0100-withdrawals-arrive.md",
    behavior:
      "Feedback, outcomes and rewards need a recorded consent that holds now. A page without a receipt waits and loses no reward.",
    tests: [
      "workers/edge/src/consent.test.ts > feedback and outcomes under a consent that has expired are refused by name, counted, and taken after a new one",
      "packages/collector/src/consent-changes.test.ts > feedback that the edge refuses is dropped, and the page's developer reads why",
      "workers/edge/src/rewards/rewards.test.ts > a page of the previous release, which has no receipt, gets no task and loses none: it waits for the reload",
      "workers/edge/src/rewards/rewards.test.ts > rewards need a consent that holds now and covers training",
      "packages/embed/src/rewards/rewards.test.ts > a page asks for a receipt before its first task, and again if the edge has lost it; no reward is lost",
    ],
  },
  {
    id: "consent:ended-records",
    source: "issue 19, item 4; docs/decisions/0107-ended-consents-are-not-leased.md",
    behavior:
      "No trainer gets a stored record or reward whose consent was withdrawn, narrowed or has expired. Each is counted with the reason.",
    tests: [
      ...[
        "a record whose consent is withdrawn between upload and lease is not leased and is counted; others are leased",
        "what a visitor agrees to after a withdrawal is leased, and nothing of before",
        "a visitor who allows less since ends what was recorded for more, and one who allows as much does not",
        "a consent that has expired since the upload ends its records",
        "a group of a task loses the record and keeps the others",
        "a trainer that holds a record hears of the withdrawal when it renews, and what it does not learn is counted",
        "a record that was learned before the trainer heard of the withdrawal says so",
        "many withdrawn records do not hide others behind them",
        "a withdrawal at one site ends nothing at another, also for the same id and the same consent",
        "staff write no answer to a request whose consent has ended",
      ].map((name) => `workers/edge/src/leases/ended-consents.test.ts > ${name}`),
      "workers/edge/src/leases/late-feedback.test.ts > late feedback on a request whose consent was withdrawn does not lease it again; it stays learned",
      "workers/edge/src/rewards/rewards.test.ts > rewards of visitors who withdrew, allow less or agreed too long ago are withheld and counted; others are listed",
      "trainer/src/exchange/ended-records.test.ts > an export leaves out records whose consent has ended, by reason",
    ],
  },
  {
    id: "consent:true-text",
    source: "issue 19, item 4",
    behavior:
      "The text of consent and the page about personal data name the kinds of data that redaction finds.",
    tests: [
      "test/contract/redacted-kinds.test.ts > the page about personal data lists the kinds that the rules find, and no other",
      "test/contract/redacted-kinds.test.ts > the text of consent in $language names each of these kinds, and promises no more than the rules find",
    ],
  },
  {
    id: "edge:idle-alarms",
    source: "issue 19, item 4; docs/decisions/0100-withdrawals-arrive.md",
    behavior: "A site wakes when something can be deleted, and at most once a day otherwise.",
    tests: [
      "workers/edge/src/retention.test.ts > consents and reputations that outlast the retention do not wake an idle site each hour",
      "workers/edge/src/retention.test.ts > the earliest of all rows decides, and what is due but leased is tried again after an hour",
    ],
  },
  {
    id: "trust:rewards-only",
    source:
      "issue 19, part 4; Salimans et al. 2017, arXiv:1703.03864; docs/decisions/0096-rewards-only.md",
    behavior:
      "At a site that collects rewards, one number for each practice task leaves the page, and the edge refuses the rest. It takes one reward for each perturbation that it gave, from that visitor. The trainer moves the policy towards higher rewards, with bounded shares, and through the gate.",
    tests: [
      ...[
        "of a practice task, one number leaves the page: no token, no text",
        "control: with the full level the same task leaves its text",
        "of the visitor's own request nothing leaves, and it is answered by the version without noise",
      ].map((name) => `packages/embed/src/rewards/rewards.test.ts > ${name}`),
      ...[
        "a reward is stored once, with its visitor and perturbation, for the trainer of that version",
        "rewards out of range, for tasks of others, for tasks without a perturbation and unknown ones are refused",
        "an edge that collects rewards refuses trajectories, feedback and outcomes of pages",
        "rewards are deleted with their visitor, who learns which later versions may contain them",
        "rewards are deleted when the retention is over",
      ].map((name) => `workers/edge/src/rewards/rewards.test.ts > ${name}`),
      "packages/site/src/node/recipe-check.test.ts > a site that collects rewards only learns by evolution strategies, which it may set",
      "test/e2e/rewards-loop.test.ts > a step from rewards is published, promoted and swapped into both pages",
      "test/e2e/rewards-loop.test.ts > no trajectory reaches the edge",
      "trainer/src/edge-training/training-session.test.ts > a recipe must learn from what the site collects",
      "packages/learning/src/gradient-free/seeded-noise.browser.test.ts > a page's perturbed adapter has the same bits as the trainer's",
      ...[
        "a site without an adapter gets one that changes nothing, and steps then follow the rewards",
        "control: rewards that do not depend on the perturbation lead nowhere in particular",
        "a killed trainer repeats its step from the same rewards, and ends with the same parameters",
      ].map((name) => `trainer/src/edge-training/reward-learning.test.ts > ${name}`),
      ...[
        "a visitor who sends most rewards decides no more than the share",
        "many visitors of one network are bounded together",
      ].map((name) => `trainer/src/update/reward-step.test.ts > ${name}`),
    ],
  },
];
