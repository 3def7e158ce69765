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
