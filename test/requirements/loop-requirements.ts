/** Requirements of edge, trainer and learning, and of the loop that they form. Pure data. */
import type { Requirement } from "./requirement.ts";

export const LOOP_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "environments:tasks",
    source: "packages/environments",
    behavior:
      "Held-out tasks are disjoint from training tasks, and a quarter of them use wordings that were never trained on.",
    tests: [
      "apps/demo/src/environment/shop-task.test.ts > no held-out instance or wish occurs in training, at this or the first level",
      "apps/demo/src/environment/shop-task.test.ts > tasks of the first level are those that the nano base was trained on",
      "apps/demo/src/environment/shop-task.test.ts > a quarter of the held-out tasks and no training tasks use unseen templates",
    ],
  },
  {
    id: "environments:verifier",
    source: "docs/design.md, decision 4",
    behavior:
      "The verifier accepts gold answers, rejects near misses and hostile answers, and reports when it cannot judge.",
    tests: [
      "apps/demo/src/environment/shop-task.test.ts > the verifier passes the expert, who needs fewer turns than the limit",
      "apps/demo/src/environment/shop-task.test.ts > the verifier fails near misses: an extra or missing product, or a number off by one",
      "apps/demo/src/environment/shop-task.test.ts > the verifier fails a rollout that omits a wish",
      "apps/demo/src/environment/shop-task.test.ts > fails hostile answers: too long, injected, not a number, a list of guesses",
      "trainer/src/check/replayed-failures.test.ts > a claimed %s of an edge tool skips the rollout",
    ],
  },
  {
    id: "edge:sessions",
    source: "docs/design.md, The life of a trajectory, 1",
    behavior:
      "A site key is exchanged for a short-lived token, channels are sticky, and trainer and operator need separate credentials.",
    tests: [
      "workers/edge/src/routes/sessions.test.ts > a session token expires at its stated time",
      "workers/edge/src/routes/sessions.test.ts > a visitor's channel is sticky, and the canary share matches the setting",
      "workers/edge/src/routes/sessions.test.ts > trainer and operator each need their own credential",
    ],
  },
  {
    id: "edge:upload",
    source: "docs/design.md, The life of a trajectory, 4",
    behavior:
      "Uploads are validated and idempotent. A refused one gets a 4xx with a stable code and stores nothing.",
    tests: [
      "workers/edge/src/routes/trajectories.test.ts > an assigned trajectory is stored once as object and row, and repeating it is a duplicate",
      "workers/edge/src/routes/trajectories.test.ts > a gzip bomb is cut at the decoded limit",
      "workers/edge/src/routes/trajectories.test.ts > an unpublished policy version is refused, in the header or in a segment",
      "workers/edge/src/routes/trajectories.test.ts > another visitor's assignment is refused",
      "workers/edge/src/routes/trajectories.test.ts > the same id with other content is refused",
    ],
  },
  {
    id: "edge:leases",
    source: "docs/design.md, decision 5",
    behavior:
      "Whole groups are leased under a fencing token. D1 is the source of truth, and the Queue only triggers placement.",
    tests: [
      "workers/edge/src/routes/leases.test.ts > a complete group is leased whole, an incomplete one only after its deadline",
      "workers/edge/src/routes/leases.test.ts > every trajectory is learned exactly once by a trainer that is killed repeatedly",
      "workers/edge/src/routes/leases.test.ts > a lost queue loses nothing, because a lease places stored rows",
    ],
  },
  {
    id: "edge:policies",
    source: "docs/design.md, The life of a trajectory, 5",
    behavior: "Adapters are served by content hash on two channels, with promotion and rollback.",
    tests: [
      "workers/edge/src/routes/policies.test.ts > serve a published version to the canary, and to everyone after its promotion",
      "workers/edge/src/routes/policies.test.ts > return to stable after a canary is rolled back, which then cannot be promoted",
      "workers/edge/src/routes/policies.test.ts > with another hash than their path are refused and not stored",
    ],
  },
  {
    id: "edge:feedback",
    source: "docs/design.md, The life of a trajectory, 4",
    behavior: "Feedback is joined to trajectories by id, whenever it arrives.",
    tests: [
      "workers/edge/src/routes/visitor.test.ts > is joined by id, whether it arrives before or after the trajectory",
    ],
  },
  {
    id: "edge:outcomes",
    source: "issue 18, the first part; docs/how-to/outcomes.md",
    behavior:
      "Outcomes of declared metrics come from pages and from a site's server, are joined by id in either order, count once, and go with their visitor and their trajectory.",
    tests: [
      "workers/edge/src/outcomes/server-outcomes.test.ts > an outcome of the server is stored once, however often its request arrives",
      "workers/edge/src/outcomes/server-outcomes.test.ts > each outcome of a batch is checked on its own and answered in order",
      "workers/edge/src/outcomes/server-outcomes.test.ts > %s is refused and not stored",
      "workers/edge/src/outcomes/server-outcomes.test.ts > only the credential of the site's own server opens the route, and it opens nothing else",
      "workers/edge/src/outcomes/server-outcomes.test.ts > an outcome with another site's credential never joins a trajectory of this site",
      "workers/edge/src/outcomes/server-outcomes.test.ts > an outcome that arrives before its trajectory counts from then on",
      "workers/edge/src/outcomes/server-outcomes.test.ts > the later of two values counts, in whichever order they arrive",
      "workers/edge/src/outcomes/page-outcomes.test.ts > a page cannot report about another visitor's trajectory, before or after it arrives",
      "workers/edge/src/outcomes/page-outcomes.test.ts > a forgotten visitor's outcomes are deleted with those of the server, and none can follow",
      "workers/edge/src/outcomes/page-outcomes.test.ts > outcomes go with their trajectory when the retention is over, and without one after it or 30 days",
      "workers/edge/src/outcomes/outcome-tallies.test.ts > counts equal the rows after a random order of changes (seed %i)",
      "packages/site/src/node/metric-check.test.ts > metrics reach the edge as a setting, and the Worker on one machine as JSON",
      "packages/site/src/node/metric-check.test.ts > %s is refused with its place and what to write instead",
      "packages/collector/src/uploader.test.ts > an outcome is sent after its trajectory, and again with the same id if the answer was lost",
      "packages/embed/src/feedback/outcomes.test.ts > an outcome that a tool reports belongs to the request that called it",
      "packages/embed/src/feedback/outcomes.test.ts > nothing leaves the page without consent, also not for answers from before it was given",
      "packages/embed/src/feedback/outcomes.test.ts > what was reported offline is sent once after a reload, when the edge is there",
      "apps/dashboard/src/outcome-panel.browser.test.ts > metrics are listed by source with share or mean, and one without outcomes has no value",
      "test/contract/outcomes-guide.test.ts > the guide's function for a server sends what the edge accepts, and tries again when it is busy",
    ],
  },
  {
    id: "edge:awaited-feedback",
    source: "issue 18, the first two parts; docs/how-to/learn-from-feedback.md",
    behavior:
      "A visitor's request waits for a thumb or an outcome that teaches, in any order of arrival, and is leased once with both. Feedback over a visitor's limit is refused for good.",
    tests: [
      "workers/edge/src/awaited-feedback.test.ts > a request waits for a thumb, and with one until it is old enough",
      "workers/edge/src/awaited-feedback.test.ts > an outcome from the %s makes a request ready, before and after the trajectory arrives",
      "workers/edge/src/awaited-feedback.test.ts > an outcome that cannot teach makes no request ready: no weight, no such metric, not the visitor's own",
      "workers/edge/src/awaited-feedback.test.ts > a lease has the outcomes beside the feedback, with their changed values, once",
      "workers/edge/src/awaited-feedback.test.ts > outcomes of a metric whose type has changed are not leased",
      "workers/edge/src/awaited-feedback.test.ts > feedback over the limit of a visitor is refused for good, so that pages do not send it again",
      "packages/collector/src/uploader.test.ts > feedback is sent again after a 429, and not after a 409",
    ],
  },
  {
    id: "trainer:feedback-rewards",
    source: "issue 18, the first two parts; docs/how-to/learn-from-feedback.md",
    behavior:
      "The reward of a visitor's request is the weighted mean of the thumb, the outcomes and the next message that are there. A policy learns from each alone, and not from feedback at random.",
    tests: [
      "packages/learning/src/rewards/feedback.test.ts > %s %s with %j is the reward %d",
      "packages/learning/src/rewards/feedback.test.ts > signals are weighted, and missing ones are left out",
      "packages/learning/src/rewards/feedback.test.ts > the value of the site's server counts, and that of the page only without one",
      "packages/learning/src/rewards/feedback.test.ts > the verdict names each signal with its value, and half of the reward is a success",
      "trainer/src/check/feedback-check.test.ts > a recipe that reads %s is paid by it and by nothing else",
      "trainer/src/check/feedback-check.test.ts > feedback that the recipe does not read is no feedback, nor is a metric without weight",
      "trainer/src/check/feedback-check.test.ts > a thumb does not excuse forged log-probs, a missing consent or another model",
      "trainer/src/edge-training/feedback-learning.test.ts > %s makes wanted answers likelier from feedback alone; from feedback at random it does not",
      "trainer/src/edge-training/feedback-learning.test.ts > %s, which reads several signals, learns from requests of which each has one",
      "trainer/src/expectations/feedback-update.test.ts > %s raises rollouts with good outcomes, against the verifier",
      "packages/learning/src/rewards/feedback.test.ts > a message after the answer counts, where the recipe reads it",
      "workers/edge/src/awaited-feedback.test.ts > a site that learns from messages waits for them, and its leases have them",
      "packages/embed/src/feedback/next-feedback.test.ts > the next message rates the answer before it, and its text is not sent as feedback",
      "apps/demo/src/environment/talk/next-message.test.ts > the rules are rarely wrong, and find a part of the thanks and the corrections",
      "packages/site/src/node/consent-check.test.ts > %s it is refused with file and line",
    ],
  },
  {
    id: "trainer:judge",
    source: "issue 18, parts 1 and 3; docs/how-to/learn-from-feedback.md, Ask a judge",
    behavior:
      "A judge says what next messages mean and ranks new trials at requests. Votes that disagree, fail or cannot be read are missing, never 0. Texts of visitors are data, and a withdrawn request teaches nothing.",
    tests: [
      "trainer/src/judge/judge.test.ts > a message: %s",
      "trainer/src/judge/judge.test.ts > the reply %j is no vote",
      "trainer/src/judge/judge.test.ts > a message that asks for the best grade stays between markers that it cannot close",
      "trainer/src/judge/judge.test.ts > trials: %s",
      "trainer/src/judge/judge.test.ts > a judge that always prefers the first place contradicts itself",
      "trainer/src/check/message-reading.test.ts > a message without a verdict is missing, not 0: %s",
      "trainer/src/check/message-reading.test.ts > a stopped judge is not asked; what the rules found still counts",
      "trainer/src/check/recorded-answers.test.ts > a call that the record does not answer ends the trial: %s",
      "trainer/src/edge-training/request-trials.test.ts > requests without feedback teach what the judge prefers, and a withdrawn one teaches nothing",
      "trainer/src/edge-training/request-trials.test.ts > grades at random teach far less",
      "trainer/src/edge-training/request-trials.test.ts > nothing is learned from a judge that %s",
      "packages/embed/src/feedback/next-feedback.test.ts > a page that shares messages sends the text of each, redacted, also where the rules find nothing",
      "workers/edge/src/awaited-feedback.test.ts > a site with a judge waits for messages that only a judge can read, and no other lease has them",
    ],
  },
  {
    id: "trainer:corrections",
    source: "issue 18, parts 1 and 2; docs/how-to/learn-from-feedback.md, Corrections and edits",
    behavior:
      "Corrections and edits are sent redacted, only where the page says so, and leased only to sites that learn from them. The policy with a correction in its prompt teaches the policy without it; edited answers are imitated.",
    tests: [
      "packages/learning/src/advantages/hindsight.test.ts > w_rl = %d and w_opd = %d weigh reward and distillation",
      "packages/learning/src/rewards/feedback.test.ts > the text of a correction goes with its message, and an edit replaces everything else",
      "trainer/src/recipes/hinted-sequence.test.ts > the sequence is what the template gives for the request with the text behind it",
      "trainer/src/recipes/hinted-sequence.test.ts > a text cannot end the visitor's message",
      "trainer/src/update/hindsight.test.ts > answers move toward what the policy says once it has read the correction",
      "trainer/src/check/edited-learning.test.ts > the answer that %s wrote becomes likelier, more than it does if they write another one",
      "workers/edge/src/awaited-feedback.test.ts > the lease of a site that learns from edits and messages has their texts, and of no other",
      "workers/edge/src/awaited-feedback.test.ts > a text is kept as it was sent, given back to its visitor, and refused where it says nothing",
      "packages/embed/src/feedback/next-feedback.test.ts > a page that shares corrections sends their text, redacted, and no other message's",
      "packages/embed/src/feedback/next-feedback.test.ts > an edited answer is sent redacted, and again after another change; without consent it stays here",
    ],
  },
  {
    id: "study:live-signals",
    source: "issue 18, what it must show, first point",
    behavior:
      "Simulated people teach a learner that knows neither them nor a verifier. Honest feedback teaches more than the same feedback on other requests.",
    tests: [
      "trainer/src/studies/live-signals/live-signals.test.ts > %s teach more than the same feedback on other requests",
      "trainer/src/studies/live-signals/live-signals.test.ts > a tenth of the people press a thumb, unhappy ones twice as often, and 15 % press the wrong one",
      "trainer/src/studies/live-signals/live-signals.test.ts > the learner loads no environment, no verifier and none of the people",
    ],
  },
  {
    id: "loop:live-people",
    source: "docs/how-to/your-own-site.md, Try people who rate answers",
    behavior:
      "Simulated people type live requests and say how the answers are with stated shares; no task, verdict or seed leaves the page.",
    tests: [
      "apps/practice/src/person.test.ts > 15 % of the verdicts are wrong, for happy and for unhappy people",
      "apps/practice/src/person.test.ts > with half of the verdicts wrong, a verdict says nothing about the answer",
      "apps/practice/src/simulated-people.test.ts > right answers get thumbs up, wrong and cut ones thumbs down",
      "apps/practice/src/simulated-people.test.ts > people can report an outcome or type a message instead",
      "test/contract/live-people.test.ts > people send live requests and thumbs, and neither task, verdict nor seed",
      "packages/dev/src/loop/report.test.ts > a live run counts requests and thumbs, and measures from the press of a thumb",
      "test/e2e/live-people.test.ts > people ask and rate until they are stopped, and the edge learns no task, verdict or seed",
    ],
  },
  {
    id: "edge:openapi",
    source: "OpenAPI 3.1",
    behavior: "The served OpenAPI description names every route and matches the Worker's behavior.",
    tests: [
      "workers/edge/src/openapi.test.ts > describes every route that the app serves, and no other",
      "workers/edge/src/openapi.test.ts > forbids an upload that the Worker refuses",
    ],
  },
  {
    id: "learning:group-relative",
    source: "Shao et al. 2024, arXiv:2402.03300; Liu et al. 2025, arXiv:2503.20783",
    behavior:
      "Group-relative advantages work with and without a standard deviation. A group of equal rewards carries no signal.",
    tests: [
      "packages/learning/src/advantages/group-advantages.test.ts > a group with equal rewards carries no signal",
      "packages/learning/src/advantages/group-advantages.test.ts > are permuted with the group",
    ],
  },
  {
    id: "learning:clipped-surrogate",
    source: "Schulman et al. 2017, arXiv:1707.06347; Yu et al. 2025, arXiv:2503.14476",
    behavior:
      "The clipped surrogate with separate bounds has the derivatives of its loss, with any microbatch size.",
    tests: [
      "packages/learning/src/losses/policy/clipped-surrogate.test.ts > its derivatives match finite differences of its loss and are 0 outside the mask",
      "packages/learning/src/losses/policy/clipped-surrogate.test.ts > microbatches with the global count add up to the minibatch, in any order",
    ],
  },
  {
    id: "learning:importance-weights",
    source: "Yao et al. 2025 (truncated importance sampling)",
    behavior:
      "Token-level truncated importance weights agree with reference values and pass no derivative.",
    tests: [
      "packages/learning/src/corrections/importance-weights.test.ts > agree with the reference values",
      "packages/learning/src/corrections/importance-weights.test.ts > no derivative flows through them: the derivative of a loss scales with the weight",
    ],
  },
  {
    id: "learning:supervised",
    source: "maximum likelihood",
    behavior: "The masked supervised loss has the derivatives of its loss.",
    tests: [
      "packages/learning/src/losses/imitation/supervised-loss.test.ts > its derivatives match finite differences of its loss and are 0 outside the mask",
    ],
  },
  {
    id: "trainer:checks",
    source: "docs/design.md, decision 4",
    behavior:
      "Every trajectory is re-scored at its claimed version and replayed. Each fault has its reason, and a forger gains at most the band.",
    tests: [
      "trainer/src/check/trajectory-check.test.ts > rejected as %s: %s",
      "trainer/src/check/trajectory-check.test.ts > a digest that does not match the content is rejected",
      "packages/learning/src/corrections/log-prob-gap.test.ts > a forged log-prob gains at most the band",
    ],
  },
  {
    id: "trainer:exactly-once",
    source: "docs/design.md, decision 5",
    behavior:
      "A trainer that is killed at any call loses nothing, repeats nothing and ends with the same parameters.",
    tests: [
      "trainer/src/edge-training/training-loop.test.ts > a trainer killed at any call loses nothing, repeats nothing and ends with the same parameters",
      "trainer/src/edge-training/training-loop.test.ts > trajectories of a lease lost after the checkpoint are acknowledged under the next lease, not trained on again",
    ],
  },
  {
    id: "trainer:learns",
    source: "docs/design.md, decision 3",
    behavior:
      "A tiny policy learns from its own rollouts, and does not learn from shuffled advantages.",
    tests: [
      "trainer/src/update/learning-step.test.ts > a tiny policy learns a choice from its own rollouts, but not with shuffled advantages",
    ],
  },
  {
    id: "trainer:deployment-watch",
    source: "issue 13, item 2.5",
    behavior:
      "A drop in live success or in readable turns rolls the stable version back, a jump of the drift rolls training back, and both freeze publishing. Honest versions raise no alarm.",
    tests: [
      "trainer/src/sink/deployment-watch.test.ts > an honest version raises no alarm in 100 runs of 60 groups",
      "trainer/src/sink/deployment-watch.test.ts > an alarm freezes publishing, rolls the version back, and may be raised again",
      "packages/evaluation/src/fall-test.test.ts > raises alarms less often than the bound allows, even at the edge of the tolerance",
      "trainer/src/update/drift.test.ts > the estimate equals the exact KL up to sampling error",
    ],
  },
  {
    id: "edge:control",
    source: "issue 13, item 7.2",
    behavior:
      "Only the operator controls the kill switch, lifts a freeze and promotes earlier versions. Each decision is in the audit log with its overrides.",
    tests: [
      "workers/edge/src/routes/control.test.ts > are set and lifted by the operator, with name, time and reason in the log",
      "workers/edge/src/routes/control.test.ts > silences pages that understand it; older pages get the base",
      "workers/edge/src/routes/control.test.ts > requires an explicit override for a version that was rolled back",
      "workers/edge/src/routes/publishing.test.ts > every override is in the audit log with the operator's name and reason",
      "workers/edge/src/records.test.ts > retries and deletions are in the audit log with the operator's name; refused ones are not",
      "apps/dashboard/src/control-view.browser.test.ts > a freeze needs a confirmation, shows a banner with its reason, and can be lifted",
      "trainer/src/commands/operator-commands.test.ts > freeze reports who froze promotions, when and why",
    ],
  },
  {
    id: "trainer:gate",
    source: "docs/design.md, decision 4",
    behavior:
      "No policy is promoted without a frozen evaluation, and one that gets worse is rolled back.",
    tests: [
      "trainer/src/edge-training/training-loop.test.ts > a candidate that falls is rolled back, and the engine returns to the stable parameters",
      "trainer/src/edge-training/training-loop.test.ts > small falls do not add up: a candidate is also compared with the best version",
    ],
  },
  {
    id: "loop:site",
    source: "docs/how-to/your-own-environment.md, Run the whole loop in it",
    behavior:
      "The loop and npm start run a site from a file or a package instead of the shop, with its own page, tasks, base and state.",
    tests: [
      "test/e2e/site-loop.test.ts > a policy of a site is learned from its page, published, promoted and swapped in",
      "test/e2e/site-loop.test.ts > no trajectory of a site is lost, refused or learned twice",
      "test/e2e/site-loop.test.ts > both versions are compared on held-out tasks of the site",
      "test/contract/site.test.ts > a site is an environment by the path of its file, with the export's name",
      "test/contract/site.test.ts > the site %s is refused in one sentence with what to do",
    ],
  },
  {
    id: "loop:exact-counts",
    source: "README, The loop",
    behavior:
      "In a loop of real components nothing is lost, refused or learned twice, and browser and trainer agree on log-probs.",
    tests: [
      "test/e2e/loop.test.ts > no trajectory is lost, refused or learned twice",
      "test/e2e/loop.test.ts > the trainer computes the log-probs that the browser recorded for the same version",
    ],
  },
  {
    id: "loop:kills",
    source: "docs/design.md, decision 5",
    behavior:
      "Fifteen faults (200 in the long run) lose nothing and repeat nothing: kills of trainer, Worker and pages, second trainers, text publications and damaged objects.",
    tests: [
      "test/e2e/kill.test.ts > faults of every kind in a running loop lose nothing and repeat nothing",
    ],
  },
  {
    id: "edge:capacity",
    source: "Fu et al. 2025, AReaL, arXiv:2505.24298",
    behavior:
      "No group starts while too many wait for the trainer, and pages are told when to ask again. Abandoned groups stop counting.",
    tests: [
      "workers/edge/src/assignment-store.test.ts > no new group starts at the limit of unfinished groups, but open groups still fill",
      "workers/edge/src/assignment-store.test.ts > at the limit of groups a page is told when to ask again, without an error",
      "workers/edge/src/assignment-store.test.ts > an abandoned group stops counting at its deadline",
    ],
  },
  {
    id: "edge:deployable",
    source: "README, Deploy",
    behavior: "The production configuration passes a dry run.",
    tests: [
      "test/e2e/deploy.test.ts > passes a dry run of its production configuration with every binding it uses",
    ],
  },
  {
    id: "loop:recipes",
    source: "docs/design.md, decision 3; issue 5, recipes",
    behavior:
      "The loop runs recipes with one stage over rollouts of pages, with the same update and the same numbers as each recipe's own step. Recipes that pages cannot run are refused by name, with a list of those that fit.",
    tests: [
      "trainer/src/update/learning-step-golden.test.ts > %s: loss, metrics and gradients equal those of the earlier step",
      "trainer/src/update/learning-step-golden.test.ts > another clip range or another weight cap changes the numbers",
      "trainer/src/recipes/edge-recipe.test.ts > %s cannot train from an edge: %s. The error lists the recipes that can",
      "trainer/src/recipes/edge-recipe.test.ts > the list has every recipe of the catalogue and the reasons against one",
    ],
  },
];
