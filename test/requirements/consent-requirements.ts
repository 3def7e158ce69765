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
];
