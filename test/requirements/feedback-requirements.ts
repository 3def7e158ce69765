/** Requirements of learning from what people say and do. */
import type { Requirement } from "./requirement.ts";

export const FEEDBACK_REQUIREMENTS: readonly Requirement[] = [
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
      "trainer/src/edge-training/feedback-learning.test.ts > %s makes wanted answers likelier from feedback on up to ten versions ago; from feedback at random it does not",
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
    id: "trainer:normalized-feedback",
    source: "issue 18, part 2; docs/how-to/learn-from-feedback.md, What happens; arXiv:2501.03262",
    behavior:
      "Feedback without pairs or groups teaches by advantages that are normalized over a step. Turns without feedback do not count.",
    tests: [
      "packages/learning/src/rewards/turn-credit.test.ts > signals-reinforce-plus-plus normalizes over the turns that feedback is about, and the others get nothing",
      "packages/learning/src/advantages/advantage-parts.test.ts > reinforce++: whitened over the batch, across groups",
      "trainer/src/edge-training/feedback-learning.test.ts > %s makes wanted answers likelier from feedback on up to ten versions ago; from feedback at random it does not",
      "trainer/src/edge-training/feedback-learning.test.ts > %s, which reads several signals, learns from requests of which each has one",
    ],
  },
  {
    id: "trainer:late-feedback",
    source:
      "issue 18, part 1; docs/how-to/learn-from-feedback.md, What happens; docs/decisions/0106-late-feedback-is-learned-off-policy.md",
    behavior:
      "Feedback on an answer of an old version is learned from once, with truncated importance weights. A limit of versions bounds its age.",
    tests: [
      "trainer/src/recipes/edge-recipe.test.ts > the maximum staleness is four versions for recipes with a stale sampler, else one, and more for late feedback",
      "trainer/src/edge-training/feedback-learning.test.ts > %s makes wanted answers likelier from feedback on up to ten versions ago; from feedback at random it does not",
      "packages/learning/src/recipes/recipe-records.test.ts > %s has the defaults that it was measured with",
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
    id: "trainer:replaced-answers",
    source:
      "issue 18, known gaps; docs/decisions/0101-replaced-answers.md; arXiv:2402.01306, section 4.1",
    behavior:
      "A replaced answer is no success of the policy. The drift of a step that learns from written answers is that of the policy's own. KTO's reference point is the weighted mean over mismatched pairs.",
    tests: [
      "trainer/src/check/feedback-check.test.ts > an edited answer is imitated with the log-probs that it has, once the record itself has passed",
      "trainer/src/check/feedback-check.test.ts > beside an answer that somebody wrote is the given one with its log-probs under the stable version",
      "trainer/src/sink/deployment-watch.test.ts > a version whose answers are replaced is rolled back, as one that fails",
      "trainer/src/check/pair-learning.test.ts > answers that %s wrote become likelier than those that the policy gave; with shuffled sides they do not",
      "trainer/src/edge-training/imitation-drift.test.ts > a step that imitates is not undone for what it is to learn, and its drift has a limit",
      "trainer/src/update/drift.test.ts > of an answer that a person wrote, the one that the policy gave is measured",
      "trainer/src/update/drift.test.ts > both sides of a pair are one answer that was given",
      "packages/learning/src/losses/preference/mismatched-pairs.test.ts > a pair weighs what its prompt and its completion weigh, as in the reference values",
      "packages/learning/src/losses/preference/mismatched-pairs.test.ts > a completion keeps the temperatures and kept sets that it was sampled with",
    ],
  },
  {
    id: "trainer:pairs-from-retries",
    source:
      "issue 18, part 2; docs/how-to/learn-from-feedback.md, Pairs; docs/decisions/0098-pairs-from-retries.md",
    behavior:
      "An answer after which the visitor clicked Try again and the answer that was kept are leased together and make a pair of DPO. Both are learned once or neither is. Without consent, a link or an equal prompt there is no pair, and each record has a reason.",
    tests: [
      "workers/edge/src/leases/retried-requests.test.ts > a request and its retry are one group of one lease, once the retry is old enough",
      "workers/edge/src/leases/retried-requests.test.ts > the order in which the page sends the %s last does not matter",
      "workers/edge/src/leases/retried-requests.test.ts > retries of retries are one group, whatever comes first",
      "workers/edge/src/leases/retried-requests.test.ts > a request whose retry is missing is not leased, and a page without the link makes no pair",
      "workers/edge/src/leases/retried-requests.test.ts > no pair without consent of both, of two visitors, or at a site that does not learn from retries",
      "workers/edge/src/leases/retried-requests.test.ts > two trainers: one has both, the other none, and both are learned from once",
      "workers/edge/src/leases/retried-requests.test.ts > an answer that was leased before joins no pair later",
      "workers/edge/src/leases/retried-requests.test.ts > a visitor who is forgotten takes both sides, also from a lease that has them",
      "workers/edge/src/leases/retried-requests.test.ts > if a visitor is forgotten after both sides were learned, the version that learned from them is named with both",
      "workers/edge/src/leases/retried-requests.test.ts > a request whose retry is deleted after they were joined is leased alone, so that it is listed",
      "trainer/src/edge-training/retry-learning.test.ts > answers that visitors kept become likelier than those before; with shuffled sides, or kept at random, they do not",
      "trainer/src/edge-training/retry-learning.test.ts > both records of a pair are learned in one step, once, for one visitor, and each is counted",
      "trainer/src/edge-training/retry-learning.test.ts > an answer with %s was not kept",
      "trainer/src/edge-training/retry-learning.test.ts > a record whose other side is missing or refused is listed and not learned from",
      "trainer/src/edge-training/retry-learning.test.ts > answers in another context, equal answers and records with branches make no pair",
      "trainer/src/edge-training/retry-learning.test.ts > a stopped signal makes no pair, and a stopped thumb down keeps no answer",
      "packages/embed/src/feedback/next-feedback.test.ts > trying again is one piece of feedback",
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
      "packages/site/src/vite/visitor-module.test.ts > a page sends the texts that its site shares, and no others",
      "packages/site/src/node/consent-check.test.ts > %s needs a site that keeps texts of visitors",
      "packages/embed/src/feedback/next-feedback.test.ts > an edited answer is sent redacted, and again after another change; without consent it stays here",
    ],
  },
  {
    id: "feedback:without-an-environment",
    source: "issue 18, build 4",
    behavior:
      "A site without an environment learns from feedback. Visitors of a release decide about each candidate, and without a release nothing is learned or served.",
    tests: [
      "trainer/src/edge-training/without-environment.test.ts > a trainer learns from thumbs, publishes to a release, and goes on from what visitors chose",
      "trainer/src/edge-training/without-environment.test.ts > a candidate that visitors refuse is rolled back, and nothing stays of it",
      "trainer/src/edge-training/without-environment.test.ts > thumbs at random teach far less",
      "trainer/src/edge-training/without-environment.test.ts > without a release, it says what is missing and learns nothing",
      "trainer/src/check/site-grammars.test.ts > a grammar that %s is unknown",
      "workers/edge/src/routes/comparison-gate.test.ts > the word of a trainer alone does not pass",
      "workers/edge/src/routes/comparison-gate.test.ts > without a judge, visitors of a release decide, and nobody else",
      "workers/edge/src/routes/comparison-gate.test.ts > a site with an environment passes neither with a comparison nor with a release alone",
      "packages/evaluation/src/comparison-gate.test.ts > abstentions are no verdicts, and a judge that prefers nothing lets nothing pass",
    ],
  },
  {
    id: "study:live-signals",
    source: "issue 18, what it must show, first point",
    behavior:
      "Simulated people teach a learner that knows neither them nor a verifier. Honest feedback teaches more than the same feedback on other requests. OpenClaw-RL's formula, its terms alone and the own recipe are compared on the same signals, with equal steps.",
    tests: [
      "trainer/src/studies/live-signals/live-signals.test.ts > %s teach more than the same feedback on other requests",
      "trainer/src/studies/live-signals/live-signals.test.ts > a tenth of the people press a thumb, unhappy ones twice as often, and 15 % press the wrong one",
      "trainer/src/studies/live-signals/live-signals.test.ts > arms that are compared have the same signals and steps, and differ in the advantage",
      "trainer/src/studies/live-signals/live-signals.test.ts > a cell of %s learns from messages and corrections",
      "trainer/src/studies/live-signals/live-signals.test.ts > the formula is compared with its terms alone and with the own recipe, by pairs of one seed",
      "trainer/src/studies/live-signals/live-signals.test.ts > the learner loads no environment, no verifier and none of the people",
      "trainer/src/studies/live-signals/study-site.test.ts > $people.name: for half of the kinds, most demonstrations give an answer that people do not want",
      "trainer/src/studies/live-signals/study-site.test.ts > $people.name: no held-out request is in practice or demonstrated",
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
];
