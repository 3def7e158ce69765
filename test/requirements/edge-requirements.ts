/** Requirements of the edge: publishing, shares of work, and the operator's view. Pure data. */
import type { Requirement } from "./requirement.ts";

const at = (file: string, ...names: readonly string[]): string[] =>
  names.map((name) => `workers/edge/src/${file} > ${name}`);

export const EDGE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "edge:publishing",
    source: "docs/design.md",
    behavior:
      "Only a version whose evaluation passed the gate is served; descendants of a rolled-back version are not; overrides are logged.",
    tests: [
      ...at(
        "routes/publishing.test.ts",
        "a candidate that failed its evaluation is recorded and never served",
        "two concurrent publishers get two versions, and the slower one is told",
        "descendants of a rolled-back version leave the channels and need an operator's override",
        "a promotion without a passing evaluation is refused",
        "every override is in the audit log with the operator's name and reason",
      ),
    ],
  },
  {
    id: "edge:version-reports",
    source: "docs/decisions/0083-what-a-version-learned-from.md",
    behavior:
      "A version's report has every trajectory that it learned from once, by signal, also if the trainer restarts or is killed, and answers of both versions to the same frozen tasks. Only operators read it.",
    tests: [
      "packages/learning/src/influence/signal-influence.test.ts > the influence of a trajectory is divided by the shares of its signals",
      "packages/learning/src/influence/signal-influence.test.ts > a correction takes its share from the other signals, and the sum stays",
      "trainer/src/edge-training/learned-from.test.ts > a version's report has every trajectory once, by signal, also if the trainer restarts",
      "trainer/src/edge-training/learned-from.test.ts > what a candidate that was rolled back learned from is not counted in the next version",
      "trainer/src/edge-training/training-loop.test.ts > a trainer killed at any call loses nothing, repeats nothing and ends with the same parameters",
      ...at(
        "reports/version-reports.test.ts",
        "a report is read as it was sent, and a repeated one replaces it",
        "the edge counts the visitors of the steps that the version adds",
        "%s is refused",
        "a trainer cannot read a report, and nobody else can",
      ),
      "apps/dashboard/src/learning/version-dialog.browser.test.ts > the dialog has each signal with its share, the consent versions and the visitors",
      "apps/dashboard/src/learning/version-dialog.browser.test.ts > answers are side by side, changed ones first, and texts are never markup",
    ],
  },
  {
    id: "edge:stopped-signals",
    source: "docs/decisions/0083-what-a-version-learned-from.md",
    behavior:
      "The trainer learns nothing from a signal that an operator stopped. Records without another are skipped, stay stored, and are used once it is started again.",
    tests: [
      ...at(
        "signals/stopped-signals.test.ts",
        "a trainer sees which signals are stopped, and the audit log says by whom",
        "skipped trajectories stay stored, and are leased again once the signal is started",
        "a skip by a trainer that does not know yet that the signal was started is undone",
        "a signal that the site does not have is refused, and so is a trainer",
      ),
      "trainer/src/check/stopped-signals.test.ts > without %s, the rest is left",
      "trainer/src/edge-training/learned-from.test.ts > a stopped signal is left out, and requests without another are skipped",
      "trainer/src/edge-training/learned-from.test.ts > a signal that is stopped just before a step is not in it",
      "test/e2e/stopped-signals.test.ts > a stopped thumb teaches nothing, and teaches once it is started again",
      "apps/dashboard/src/control-view.browser.test.ts > a signal is stopped with a reason and started again",
    ],
  },
  {
    id: "edge:releases",
    source: "docs/decisions/0075-the-edge-decides-releases.md",
    behavior:
      "A candidate serves a growing share of visitors, who keep it. What they do promotes it or rolls it back, and no trainer can. Counts equal a recount of all uploads and outlive the visitors. A trainer waits for the end, also after a restart.",
    tests: [
      ...at(
        "releases/releases.test.ts",
        "a candidate that people like less is rolled back, and the log says why",
        "a candidate that people like more grows, keeps its visitors, and is promoted",
        "a visitor who has the candidate keeps it while the share grows",
        "trainers cannot promote or publish, and are told to wait",
        "counts that contradict each other hold it",
        "a release by %s is refused",
      ),
      ...at(
        "releases/release-counts.test.ts",
        "counts equal a recount after uploads, repeats, late and changed values in a random order",
        "sums stay when a visitor is forgotten, when data expires, and after the end; rows of visitors do not",
      ),
      "trainer/src/edge-training/released-candidates.test.ts > it learns nothing while a release runs, and goes on as after its own promotion",
      "trainer/src/edge-training/released-candidates.test.ts > a stopped trainer resumes waiting, and goes back to the stable version after a roll-back",
    ],
  },
  {
    id: "edge:arm-intervals",
    source: "issue 18, part 6; docs/how-to/releases.md, Look at it and end it",
    behavior:
      "An operator sees the mean of each metric for each version of a release with a 95 % interval that counts visitors as clusters.",
    tests: [
      ...at(
        "releases/releases.test.ts",
        "a candidate that people like less is rolled back, and the log says why",
      ),
      "packages/evaluation/src/release/arm-interval.test.ts > it holds the true rate in 95 % of the arms; counting each value as a visitor does not",
      "packages/evaluation/src/release/arm-interval.test.ts > stages are added up, and equal values of all visitors are not certainty",
      "apps/dashboard/src/release-panel.browser.test.ts > a running release shows its share, requests, means with intervals, differences and last decision",
    ],
  },
  {
    id: "edge:mcp-server",
    source: "Model Context Protocol, Streamable HTTP and tools; RFC 9110; RFC 6750",
    behavior:
      "`/mcp` refuses other origins, describes its tools and their results, and refuses as the protocol says.",
    tests: at(
      "routes/mcp.test.ts",
      "a request of an origin that is not allowed is refused",
      "a refused method names the allowed ones",
      "an unknown tool is the JSON-RPC error that MCP defines",
      "every tool has a title, annotations and an output schema that its results match (%s)",
      "no tool runs without a session token",
    ),
  },
  {
    id: "edge:shared-groups",
    source: "docs/design.md",
    behavior:
      "Visitors and networks that take tasks without answering leave enough work for others.",
    tests: at(
      "asking-visitors.test.ts",
      "five visitors who only request tasks leave an honest page enough work",
      "a network that creates a new visitor for every task runs out of tasks",
    ),
  },
  {
    id: "edge:health",
    source: "docs/design.md",
    behavior:
      "Refusals are counted by reason, internal errors are logged with their request, and a silent trainer is shown as absent.",
    tests: at(
      "routes/health.test.ts",
      "refused uploads are counted by reason and shown to the operator",
      "an internal error names its request and is logged with class and stack, without the payload",
      "a trainer without a heartbeat for 20 seconds counts as stopped",
    ),
  },
  {
    id: "edge:bounded-reads",
    source: "docs/design.md",
    behavior: "The number of rows that a call reads does not grow with the stored data.",
    tests: at(
      "bounded-reads.test.ts",
      "the number of rows that a call reads does not grow with the stored data",
      "counters equal a count of the rows, also after a visitor is forgotten",
    ),
  },
  {
    id: "edge:sites",
    source: "docs/decisions/0057-rows-name-their-site.md",
    behavior:
      "One edge serves many sites: a token or credential of one opens nothing of another, and settings change without a deployment.",
    tests: at(
      "sites/isolation.test.ts",
      "every route has a case",
      "%s gets and changes nothing of the other site",
      "a visitor who is forgotten by one site is not forgotten by another",
    ).concat(
      at(
        "sites/sites.test.ts",
        "a setting that is changed holds at once, and one that is removed is the Worker's again",
        "a site whose stored settings are %s is disabled, and the others are served",
        "a credential that was replaced opens nothing, and the new one the site; only hashes are stored",
      ),
    ),
  },
  {
    id: "edge:default-site",
    source: "docs/how-to/sites.md, The site `default`",
    behavior:
      "Stored settings of the site `default` override the Worker's variables, and the installation's operator can always repair them.",
    tests: at(
      "sites/default-site.test.ts",
      "tasks, groups, gate, limits and origins follow what is stored, and the variables when it is removed",
      "retention follows what is stored, and the alarm is set at once",
      "another isolate sees a change within the time for which it keeps the sites",
      "the installation's operator repairs it when no page can use it",
    ),
  },
  {
    id: "edge:two-trainers",
    source: "docs/how-to/sites.md",
    behavior:
      "Two sites with different environments on one edge, whose trainers are killed ten times each, share nothing, lose nothing and repeat nothing.",
    tests: [
      "test/e2e/two-sites.test.ts > two sites on one edge, whose trainers are both killed, lose, repeat and share nothing",
    ],
  },
  {
    id: "edge:retention",
    source: "docs/how-to/sites.md, Change it",
    behavior: "A site deletes trajectories with their objects and feedback after its retention.",
    tests: at(
      "retention.test.ts",
      "what a site no longer keeps is deleted with its object and feedback, and nothing of another site",
      "a leased trajectory waits until its lease has ended",
      "the versions that learned from a deleted trajectory are still named when its visitor is forgotten",
      "the alarm is set for the oldest trajectory, and at once when the retention changes",
      "a site that keeps everything still looks again within a day",
      "an object that starts anew, as after a deployment, has an alarm within a day",
    ),
  },
  {
    id: "edge:one-trainer",
    source: "docs/how-to/sites.md, Train it",
    behavior:
      "One trainer process serves several sites in fair turns; a site that fails does not stop the others.",
    tests: [
      "trainer/src/edge-training/train-sites.test.ts > one process trains two sites in turns, each from its own groups, and goes on when a third fails",
      "trainer/src/edge-training/fair-turns.test.ts > the site that has worked least goes next",
    ],
  },
  {
    id: "edge:all-sites",
    source: "docs/how-to/sites.md, Train it",
    behavior:
      "`train-edge --site all` trains every enabled site, follows sites that are added or disabled, and says why it skips one.",
    tests: [
      "trainer/src/edge-training/train-all-sites.test.ts > every site that it can train is trained, a site that is added later too, and the others are skipped",
      "trainer/src/edge-training/train-all-sites.test.ts > a site that is disabled is stopped, and one that fails is tried again",
    ].concat(
      at(
        "sites/sites.test.ts",
        "the trainer of the installation lists the enabled sites without their settings, and one of a site does not",
      ),
    ),
  },
  {
    id: "edge:code-of-sites",
    source: "docs/how-to/sites.md, Give it tools",
    behavior:
      "`waggle deploy` bundles the edge tools of a list of site folders; each page reaches only its own, and new sites are created.",
    tests: [
      "test/e2e/deploy-sites.test.ts > a page of %s reaches its own edge tools only",
      "test/e2e/deploy-sites.test.ts > a site that the edge lacks is created with the values of its config, and one that it has keeps its own",
      "test/e2e/deploy-sites.test.ts > a dry run shows each site with its tools, and the commands that create the others",
      "test/contract/site.test.ts > %s are refused with file and line",
    ],
  },
  {
    id: "edge:sites-command",
    source: "docs/how-to/sites.md, Create a site",
    behavior:
      "`waggle sites` lists, creates, changes and disables sites, and refuses mistakes before it sends anything.",
    tests: [
      "trainer/src/commands/sites-command.test.ts > sites add sends settings of every type and shows the credentials of the new site",
      "trainer/src/commands/sites-command.test.ts > mistakes are refused before anything is sent",
    ],
  },
  {
    id: "edge:sites-upgrade",
    source: "docs/how-to/sites.md, Upgrade",
    behavior:
      "The migration to many sites keeps every row, object and count. The trainer and the open pages of the release before are served as before.",
    tests: at(
      "sites/sites-migration.test.ts",
      "every row of every table is there, with the site `default` and the same values in each column",
      "counters go on from where they were, and the log's ids too",
    ).concat(
      at(
        "sites/sites.test.ts",
        "a token of the release before there were sites belongs to the Worker's site",
      ),
      at(
        "sites/previous-release.test.ts",
        "the trainer and the open page of the previous release get the same answers as before",
        "no row, object or count of the installation is lost, and a new site sees none of them",
        "after SESSION_TTL_SECONDS the page's token is refused with 401, and its site key opens a session again",
      ),
      [
        "test/e2e/previous-release.test.ts > an open page and a trainer of the previous release go on, and those of this release take over",
        "packages/collector/src/previous-release.test.ts > after the update the page sends what it had not sent, as the same visitor and with the same consent",
        "trainer/src/checkpoint/earlier-releases.test.ts > the state folder of a trainer of 26696fa9, the release before there were sites",
      ],
    ),
  },
  {
    id: "edge:staff-notes",
    source:
      "issue 18, part 1; docs/how-to/operate.md, Correct an answer; docs/decisions/0091-answers-of-staff.md",
    behavior:
      "An answer of staff is learned by sites that name staff, also days later and once. A comment is not. Notes are redacted, logged, exported, and deleted with the visitor.",
    tests: [
      "workers/edge/src/staff/staff-notes.test.ts > an answer makes a waiting request ready, and the newest one goes with its lease; a comment does not",
      "workers/edge/src/staff/staff-notes.test.ts > a request that was %s is leased once more with a later answer, and its first step stays noted",
      "workers/edge/src/staff/staff-notes.test.ts > the leases of a site that does not name staff have no answers, and those make nothing ready",
      "workers/edge/src/staff/staff-notes.test.ts > a note is redacted, has the operator's name, is logged without its text, and can be sent again",
      "workers/edge/src/staff/staff-notes.test.ts > notes are in the visitor's export without a name, and are deleted with the visitor",
      "trainer/src/check/edited-learning.test.ts > the answer that %s wrote becomes likelier, more than it does if they write another one",
      "trainer/src/edge-training/learned-from.test.ts > answers of staff are learned and counted under their own name, and not once it is stopped",
      "apps/dashboard/src/notes/note-panel.browser.test.ts > the keyboard alone writes an answer and a comment, and both are shown",
    ],
  },
  {
    id: "edge:undone-actions",
    source: "issue 18, part 1; docs/how-to/learn-from-feedback.md, Undone actions",
    behavior:
      "An undone action is a bad sign with its own weight and switch, apart from what the next message says.",
    tests: [
      "packages/learning/src/rewards/feedback.test.ts > an undone action counts against the answer with its own weight, beside the message",
      "packages/embed/src/feedback/next-feedback.test.ts > an undone action is sent once, beside what the next message says",
      "workers/edge/src/awaited-feedback.test.ts > a site that learns from undone actions waits for them, and no other lease has them",
    ],
  },
  {
    id: "edge:metric-levels",
    source:
      "issue 18, part 1; docs/how-to/outcomes.md, Levels; docs/decisions/0092-who-answers-and-what-feedback-is-about.md",
    behavior:
      "A metric is about a turn, a request or a conversation. Feedback about one turn trains no other turn. A page names no request of another visitor.",
    tests: [
      "workers/edge/src/outcomes/levels.test.ts > each turn has a value of its own, and a later one replaces that of its turn",
      "workers/edge/src/outcomes/levels.test.ts > a page names no request of another visitor, neither for itself nor for the server",
      "packages/learning/src/rewards/turn-credit.test.ts > each turn has its own reward, and a thumb counts for all turns",
      "packages/learning/src/rewards/turn-credit.test.ts > a repeated request after a failed call gives the other turns no gradient",
      "packages/learning/src/rewards/turn-credit.test.ts > an outcome of a conversation weighs 0.9 for each request that came after",
    ],
  },
  {
    id: "edge:who-answers",
    source: "issue 18, part 1; docs/how-to/learn-from-feedback.md, Who gives feedback",
    behavior:
      "The edge counts how often requests alike get feedback, and the trainer weighs by it. Where people answer because of the answer, the bias stays.",
    tests: [
      "workers/edge/src/responses.test.ts > a request counts once for each signal, and the visitor's earlier feedback is what tells it apart",
      "packages/learning/src/influence/response-weight.test.ts > the weighted mean is that of all requests, if the kind alone decides who answers",
      "packages/learning/src/influence/response-weight.test.ts > the bias stays where unhappy people answer twice as often",
      "trainer/src/edge-training/response-learning.test.ts > with the counts of requests, the policy learns what most visitors want",
    ],
  },
];
