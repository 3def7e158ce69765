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
    id: "trust:drawn-from-seed",
    source: "Karvonen et al. 2025, DiFR, arXiv:2511.20621",
    behavior:
      "A record whose tokens are not those that its seed selects is rejected. Honest records of any sampling options, branches, grammars and pages of the previous release are not.",
    tests: [
      ...[
        "%s",
        "without a seed of the edge, as from a page of the previous release",
        "if the tokens come from another seed",
        "if one token was replaced",
        "if kept sets are claimed that leave only the tokens of the record",
        "a plain twin draws the same tokens, with temperature $temperature and top-k $topK",
      ].map((name) => `trainer/src/check/redraw.test.ts > ${name}`),
      "test/contract/constrained-rollout.test.ts > tokens sampled under a grammar and top-k %i are re-scored and learned with the allowed set",
      "workers/edge/src/routes/trajectories.test.ts > every assignment has a seed, and an upload that names it is stored as such",
      "workers/edge/src/visitors/request-seeds.test.ts > a seed that was used before, or given to somebody else, is stored as unchecked",
    ],
  },
  {
    id: "trust:attacks",
    source: "docs/reference/threats.md",
    behavior:
      "Every forgery of a record is rejected with its reason, and every attack over HTTP is refused with its code and stores nothing. Attacks by selection are counted, and some are not stopped.",
    tests: [
      "test/contract/tamper.test.ts > every forgery is stopped with its reason",
      "test/contract/tamper.test.ts > an attack by selection is stopped if the attacker is in quarantine and at most a tenth of the records count",
      "test/contract/tamper.test.ts > of an honest visitor every record counts, and of one who sends the best of four rollouts none",
      "trainer/src/check/lease-judgment.test.ts > of a visitor whose records look forged, nothing in the lease is learned",
      "test/e2e/attacks.test.ts > every attack over HTTP is refused with its code and stores nothing",
      "test/e2e/attacks.test.ts > an attack that is accepted, or refused with another code, counts as failed",
    ],
  },
  {
    id: "trust:own-entropies",
    source: "docs/design.md, decision 4",
    behavior: "A visitor cannot choose the entropies by which recipes weigh tokens.",
    tests: [
      "trainer/src/check/redraw.test.ts > recipes get the trainer's own entropies and raw log-probs, whatever the record says",
    ],
  },
  {
    id: "trust:random-inputs",
    source: "docs/reference/threats.md",
    behavior:
      "Random requests get an answer below 500 and store nothing when refused. Random uploads, adapters, models, tokenizers and answers are decoded, or refused with an error of Waggle.",
    tests: [
      "test/e2e/attacks.test.ts > random requests get an answer below 500, and refused ones change no rows",
      "test/contract/fuzz.test.ts > the decoder of %s decodes or refuses random inputs",
    ],
  },
  {
    id: "trust:one-visitor",
    source: "docs/design.md, decision 4",
    behavior:
      "No visitor has more than a given share of a step. A flood of rollouts that pass every check, chosen for their effect, moves the policy only within a bound, and further without it.",
    tests: [
      ...poison(
        "a flood of %i chosen groups per step moves the policy less than the bound",
        "control: without a cap on one visitor, the same flood moves the policy beyond the bound",
      ),
      "trainer/src/update/learning-step.test.ts > no visitor exceeds the cap on its share of a step's gradient mass",
      "trainer/src/update/learning-step.test.ts > a visitor who caused much before is scaled down in the next step",
      "packages/learning/src/influence/gradient-mass.test.ts > the norm is that of the gradient by central differences",
      "packages/learning/src/influence/influence-bound.test.ts > agrees with bisection for random weights",
      "packages/learning/src/influence/influence-bound.test.ts > one or two weighted contributors among more participants count nothing",
    ],
  },
  {
    id: "trust:one-network",
    source: "issue 19, item 2",
    behavior:
      "Many names of one network move the policy no further than one visitor. Honest visitors lose nothing, and a site with few networks is not bound.",
    tests: [
      ...poison(
        "twelve names on one network move the policy less than the bound",
        "control: without a cap on one network, twelve names move the policy beyond the bound",
        "the caps cost honest visitors nothing",
      ),
      "packages/learning/src/influence/influence-bound.test.ts > many names of one network are bounded together, by at most twice an equal share",
      "packages/learning/src/influence/influence-bound.test.ts > a bound does not act with fewer names than its least",
      "packages/learning/src/influence/influence-bound.test.ts > the window does not bind while the share is less than twice an equal share",
    ],
  },
  {
    id: "trust:few-senders",
    source: "issue 19, item 2",
    behavior:
      "One or two senders never decide a step for others who sent no signal. Such a step is undone, and its records are skipped with a reason.",
    tests: [
      "trainer/src/edge-training/sender-window.test.ts > a step that one network would decide for others is undone, and its records are skipped",
    ],
  },
  {
    id: "trust:group-weights",
    source: "issue 19, item 2",
    behavior:
      "A rollout of a sender with a low reputation counts less in the mean and deviation of its group, so it hardly moves the advantages of others.",
    tests: [
      "packages/learning/src/advantages/group-estimators.test.ts > a weight of k counts a rollout k times in the mean and deviation of its group",
      "packages/learning/src/advantages/group-estimators.test.ts > a rollout with a low weight hardly moves the advantages of others",
      "trainer/src/update/learning-step.test.ts > a reputation scales a visitor's rollouts, and the masses are kept under other names",
    ],
  },
  {
    id: "trust:poison",
    source: "issue 19, item 3; Baumgärtner et al. 2024, arXiv:2404.05530",
    behavior:
      "Visitors who like only one answer change the policy without caps on senders, and less with them.",
    tests: [
      "test/contract/poison.test.ts > likes by hostile visitors do harm without the caps on senders, and less with them",
      "test/contract/poison.test.ts > the ledger counts as the edge does",
    ],
  },
  {
    id: "trust:reputation",
    source: "issue 19, item 2",
    behavior:
      "Forged records lower a sender's weight and lead to quarantine, whose records are kept and not learned from. Verified work or an operator ends it. Closed tabs never lead to it.",
    tests: [
      ...[
        "a forged record leads to quarantine, which the next lease shows, and verified work ends it",
        "a record that could not be drawn again counts as nothing, and ends no quarantine",
        "new names on a bad network start in quarantine, and others do not",
        "an operator sees who is in quarantine and why, and can end it",
        "a forgotten visitor leaves no record, the export shows it before, and old ones are deleted",
      ].map((name) => `workers/edge/src/visitors/reputation-store.test.ts > ${name}`),
      "workers/edge/src/visitors/reputation.test.ts > a visitor of whose records one in ten is caught is in quarantine from the first one on",
      "workers/edge/src/visitors/reputation.test.ts > are never in quarantine, whatever they leave unanswered",
      "trainer/src/check/lease-judgment.test.ts > a record of a visitor in quarantine is checked and not learned from",
      "apps/dashboard/src/quarantine-panel.browser.test.ts > those in quarantine are listed by pseudonym with reason and counts, and can be released",
    ],
  },
  {
    id: "trust:claimed-failures",
    source: "issue 19, item 2",
    behavior:
      "A claimed failure of a page tool is a failure up to the call. One of an edge tool is excused, and the edge counts failures that it saw.",
    tests: [
      "trainer/src/check/replayed-failures.test.ts > a claimed %s of a page tool is a failure up to the call",
      "trainer/src/check/trajectory-check.test.ts > a claimed failure of a page tool is learned as a failure",
      "workers/edge/src/routes/mcp.test.ts > a model's mistake is a result with a code, not a fault, and the edge counts it",
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
    id: "trust:signatures",
    source: "RFC 8032 (Ed25519); docs/decisions/0082-signed-versions.md; issue 19, item 5",
    behavior:
      "A page with a publisher runs only versions that the trainer signed for its site, and none older than it has seen, unless the newest one allows the return. The edge refuses early what pages would refuse.",
    tests: [
      "packages/protocol/src/signing.test.ts > a signature does not hold for another %s",
      "packages/protocol/src/signing.test.ts > a signature does not hold with another %s",
      "packages/embed/src/publisher/signed-manifest.test.ts > a version %s is refused",
      "packages/embed/src/publisher/signed-manifest.test.ts > an older version than the page has seen is refused, unless the newest one names it",
      "packages/embed/src/publisher/signed-manifest.test.ts > both keys are accepted while one is replaced, and what a removed key signed no longer counts",
      "packages/embed/src/publisher/signed-manifest.test.ts > an open page keeps its version while the edge serves one that is not signed",
      "packages/embed/src/publisher/signed-manifest.test.ts > an operator can silence a page although nothing is signed",
      "workers/edge/src/routes/signatures.test.ts > a version %s is refused and not served",
      "workers/edge/src/routes/signatures.test.ts > the edge does not promote what pages would refuse, until it is signed again",
      "workers/edge/src/routes/signatures.test.ts > a site without publisher keys takes unsigned versions and serves them without a signature",
      "trainer/src/edge/signing-client.test.ts > a version is signed with the number that it gets, and names the versions to return to",
      "trainer/src/commands/signing-commands.test.ts > a new key signs what the previous one had signed",
    ],
  },
  {
    id: "trust:rotation",
    source: "issue 19, item 5",
    behavior:
      "Secrets and credentials are replaced while page, trainer and operator stay connected, and the old ones end.",
    tests: [
      "workers/edge/src/operators/rotation.test.ts > page, trainer and operator stay connected while all secrets of the installation are replaced",
      "workers/edge/src/operators/rotation.test.ts > a site's previous credential works for as long as the operator says, and the one before it does not",
    ],
  },
  {
    id: "trust:edge-as-target",
    source: "issue 19, item 5",
    behavior:
      "Logins and wrong credentials are noted, every response has security headers, and a flood of one site spends nothing of another.",
    tests: [
      "workers/edge/src/operators/operator-logins.test.ts > the edge notes which operator used it from which network, and when",
      "workers/edge/src/operators/operator-logins.test.ts > wrong credentials are counted, by operation and reason",
      "workers/edge/src/app.test.ts > every response forbids a browser to show, run, frame or keep it",
      "workers/edge/src/sites/flood.test.ts > sessions of one site do not use up those of another",
      "workers/edge/src/sites/flood.test.ts > requests with unknown keys are limited, and use up nothing of the site `default`",
    ],
  },
  {
    id: "trust:reconcile",
    source: "issue 19, item 6",
    behavior:
      "The operator compares objects, rows, leases and dead letters, and repairs what does not fit. Whole data and work in progress are left as they are.",
    tests: [
      "workers/edge/src/reconcile/reconcile.test.ts > whole data of every kind is neither reported nor changed by a repair",
      "workers/edge/src/reconcile/reconcile.test.ts > an object without a row is deleted, and one that may be an upload in progress is not",
      "workers/edge/src/reconcile/reconcile.test.ts > a waiting row without an object becomes a dead letter, and a learned one stays",
      "workers/edge/src/reconcile/reconcile.test.ts > a lease that expired an hour ago is ended, and its rows can be leased again",
      "workers/edge/src/reconcile/reconcile.test.ts > rows and groups of a lease that has ended can be leased again, and those of another lease stay leased",
      "workers/edge/src/reconcile/reconcile.test.ts > a letter without a rejected row is deleted, and a dead letter waits for the operator",
      "workers/edge/src/reconcile/reconcile.test.ts > a missing file of a version is reported, and a file that pages cannot find is listed",
      "trainer/src/commands/reconcile-command.test.ts > a comparison that stops prints where to go on, and goes on there",
    ],
  },
  {
    id: "trust:backup",
    source: "issue 19, item 6",
    behavior:
      "A backup has everything that an edge stores. An empty edge has the same rows, objects and counts after a restore, without the visitors who asked for deletion.",
    tests: [
      "workers/edge/src/backup/backup.test.ts > an empty edge has the same rows, objects and counts after a restore, and a second restore adds nothing",
      "workers/edge/src/backup/backup.test.ts > nothing of a visitor who asked for deletion after the backup is restored",
      "workers/edge/src/backup/backup.test.ts > a changed object is refused, and nothing of the request is stored",
      "trainer/src/commands/backup-commands.test.ts > a backup that is stopped anywhere goes on, and is the same as one in one piece",
      "trainer/src/commands/backup-commands.test.ts > a backup whose %s was changed is refused before anything is sent",
      "trainer/src/commands/backup-commands.test.ts > an edge with other data is left as it is, and one with a part of the backup is completed",
      "trainer/src/commands/backup-commands.test.ts > --deletions adds later deletion requests to a complete backup",
    ],
  },
  {
    id: "trust:statistics-only",
    source: "issue 19, part 4; docs/decisions/0090-consent-scopes-and-statistics.md",
    behavior:
      "A site that collects statistics gets no token and no text of visitors: the page removes them, and the edge refuses the rest.",
    tests: [
      "packages/embed/src/consent-scopes.test.ts > with statistics, a request leaves tool names and times, no token and no text, and edits stay",
      "packages/embed/src/consent-scopes.test.ts > control: without the setting the same request leaves its text",
      "workers/edge/src/consent.test.ts > a site with statistics refuses tokens and text of visitors, and still takes practice",
      "workers/edge/src/consent.test.ts > statistics teach nothing: they are counted and never leased, at any site",
    ],
  },
  {
    id: "trust:consent-receipts",
    source: "issue 19, part 4; docs/decisions/0094-receipts-of-consents.md",
    behavior:
      "The edge signs a receipt of each consent, takes requests and feedback only with it, and records withdrawals; the page keeps and shows it.",
    tests: [
      "workers/edge/src/visitors/consent-receipts.test.ts > a receipt says who agreed to what, when and to which text, and the edge's secret signs it",
      "workers/edge/src/visitors/consent-receipts.test.ts > a request without a receipt of exactly its consent, visitor and site is refused by name",
      "workers/edge/src/visitors/consent-receipts.test.ts > a page of the previous release, which has no receipt, may practice and nothing else",
      "workers/edge/src/visitors/consent-receipts.test.ts > a request of an open page of the previous release waits for the reload, and practice beside it is taken",
      "workers/edge/src/visitors/consent-receipts.test.ts > a receipt withdraws its consent from any session of the site, once, and forged ones change nothing",
      "workers/edge/src/visitors/consent-receipts.test.ts > an operator sees the receipt of a trajectory, and an export and the visitor's own data have all",
      "packages/collector/src/consent-receipts.test.ts > a receipt is asked for once, before anything is sent, and names the text that was shown",
      "packages/collector/src/consent-receipts.test.ts > a withdrawal is sent with the receipts, also if the edge is reached only at the next visit",
      "packages/embed/src/element/consent-choices.browser.test.ts > the privacy view says when the site recorded the consent, and the saved file has the receipt",
    ],
  },
  {
    id: "trust:rotating-pseudonyms",
    source: "issue 19, part 4; docs/decisions/0095-pseudonyms-that-rotate.md",
    behavior:
      "After the days of the site a visitor gets a new id that nothing links to the former one, and still reads and deletes all data.",
    tests: [
      "packages/collector/src/rotate-pseudonym.test.ts > an id is left after the days of the site, counted from its first receipt, and not before",
      "packages/collector/src/rotate-pseudonym.test.ts > what the page sends under the new id has neither the old id nor the exact time of the consent",
      "packages/collector/src/rotate-pseudonym.test.ts > the sessions of earlier ids stay, and forget me deletes all ids",
      "packages/embed/src/visitor-data/stored-data.test.ts > the data of all ids of a visitor are one file, and its first page counts all",
      "packages/embed/src/rotated-id.test.ts > a page whose id is old enough sends under a new one, and shows and deletes the data of both",
      "workers/edge/src/visitors/reputation-store.test.ts > an id that replaces another has no record, and no row of the edge has both",
      "workers/edge/src/visitors/reputation-store.test.ts > new names on a bad network start in quarantine, and others do not",
    ],
  },
  {
    id: "trust:own-data",
    source: "issue 19, part 4; docs/reference/visitor-privacy.md",
    behavior:
      "A visitor's page reads all that the edge stores of that visitor, and nothing of others.",
    tests: [
      "workers/edge/src/visitors/own-data.test.ts > all pages together have every record once, with at most 50 on a page, and the first only counts",
      "workers/edge/src/visitors/own-data.test.ts > another visitor's cursor reads nothing of that visitor",
      "packages/embed/src/element/consent-choices.browser.test.ts > the privacy view says what the site keeps, and saves all pages as one file",
    ],
  },
  {
    id: "trust:learned-from-deleted",
    source: "issue 19, item 4",
    behavior: "The operator sees which versions learned from visitors who were forgotten since.",
    tests: [
      "workers/edge/src/forgotten-visitor.test.ts > the operator sees the versions that learned from a visitor's deleted data, and none from retention",
      "trainer/src/commands/visitor-commands.test.ts > deletions names the versions that learned, and the roll-back that withdraws them",
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
      "trainer/src/probes/own-environment.test.ts > an author's verifier that reports agreement has the probe of flattery, and it refuses a policy that flatters",
      "packages/agent/src/environments/define/agreed-verdict.test.ts > a verdict says whether the answer agrees with the request, and nothing else than true or false",
      "trainer/src/probes/probe-learning.test.ts > %s, seed %i: the naive recipe fails the probe and the shipped one does not",
      "trainer/src/check/feedback-check.test.ts > a thumb up for an answer that asks for it counts as a thumb down",
      "workers/edge/src/routes/publishing.test.ts > where the gate needs probes, an evaluation without them, with too few, or with a fault is refused",
      "apps/dashboard/src/policy-view.browser.test.ts > the probes of the newest evaluated version are listed with their verdicts",
    ],
  },
];
