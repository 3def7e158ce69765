/** Requirements of rollout strategies: where they branch, which rollouts they ask for, and how many may start. Pure data. */
import type { Requirement } from "./requirement.ts";

const at = (file: string, ...names: readonly string[]): string[] =>
  names.map((name) => `packages/learning/src/${file} > ${name}`);

export const ROLLOUT_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "learning:branching",
    source: "Dong et al. 2025, arXiv:2507.19849 and arXiv:2510.14545",
    behavior:
      "Branches follow entropy. Together with whole rollouts they add up to the group size, and shared segments are credited with all of their outcomes.",
    tests: [
      "packages/learning/src/rollouts/branching.test.ts > a fork is likelier where entropy rose, and less likely after consecutive forks",
      "trainer/src/expectations/recipe-update.test.ts > %s learns once in each of its stages",
    ],
  },
  {
    id: "learning:rollout-strategies",
    source: "issue 14, §3",
    behavior:
      "A rollout part brings its own strategy, and the trainer drives it. A recipe of one's own uses the same interface. Equal seeds and places draw alike.",
    tests: [
      ...at(
        "rollouts/rollout-strategies.test.ts",
        "a plain group is interchangeable, runs in pages and overlaps; others are not",
        "demonstrators, sentences and forms take turns, after the policy's own rollouts",
        "cut groups go on first, and new ones fill the step",
        "a team rolls out held-out tasks if all members have adapters and none is deployed",
      ),
      "trainer/src/rollouts/rollout-driver.test.ts > a recipe's own strategy runs rollouts, branches and adds text",
      "trainer/src/rollouts/rollout-driver.test.ts > equal seeds and places draw alike, and others do not",
      "trainer/src/rollouts/rollout-driver.test.ts > a lost rollout empties its group, or leaves interchangeable ones if two are left",
    ],
  },
  {
    id: "learning:capacity",
    source: "Fu et al. 2025, arXiv:2505.24298",
    behavior:
      "Capacity and staleness limits hold for any interleaving. A stuck rollout delays no others.",
    tests: at(
      "rollouts/rollout-capacity.test.ts",
      "capacity agrees with the reference value",
      "the limits hold for any interleaving of events",
      "trajectories learned in starting order never exceed the staleness limit",
      "a rollout that never ends delays, with staleness %i, %s",
    ),
  },
];
