/** Requirements of advantages, filters, rewards, states and schedules. Pure data. */
import type { Requirement } from "./requirement.ts";

const at = (file: string, ...names: readonly string[]): string[] =>
  names.map((name) => `packages/learning/src/${file} > ${name}`);

export const LEARNING_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "learning:group-estimators",
    source:
      "Ahmadian et al. 2024, arXiv:2402.14740; Hu et al. 2025, arXiv:2501.03262; Hao et al. 2025, arXiv:2505.23585; Walder and Karkhanis 2025, arXiv:2505.15201",
    behavior:
      "RLOO, REINFORCE++, OPO, MaxRL, pass@k and set scores agree with their formulas. A group of one is refused.",
    tests: [
      ...at(
        "advantages/group-estimators.test.ts",
        "agree with the reference values",
        "REINFORCE++ agrees with the reference values, with and without a group's baseline",
        "pass@k equals the mean lead over all enumerated subsets",
        "a group of one is refused: %s",
      ),
      ...at("advantages/loop-twins.test.ts", "σ = 0 gives zeros, not infinities: %s"),
    ],
  },
  {
    id: "learning:single-rollouts",
    source: "Liu et al. 2025, arXiv:2506.24119",
    behavior: "A moving baseline supports groups of one, with one baseline per key.",
    tests: at(
      "advantages/adjusted-advantages.test.ts",
      "the moving baseline serves single rollouts and agrees with the reference values",
      "the baseline converges to the mean return of its own key",
    ),
  },
  {
    id: "learning:turn-credit",
    source: "Schulman et al. 2016, arXiv:1506.02438; Feng et al. 2025, arXiv:2505.10978",
    behavior:
      "GAE skips observations and bootstraps only after an external cut. GiGPO keeps equal states of different tasks apart.",
    tests: [
      ...at(
        "advantages/step-credit.test.ts",
        "GAE skips observations and agrees with the reference values; only truncation bootstraps",
        "multi-turn GAE equals the GAE of the concatenated action tokens",
        "a reward on an observation token is refused, because it would be lost",
        "equal states of different tasks are different groups",
      ),
      ...at(
        "advantages/critic-credit.test.ts",
        "a critic that is fitted to rollouts without a reward converges to 0",
      ),
      ...at(
        "advantages/loop-twins.test.ts",
        "GiGPO, each step against all steps of its task and state",
      ),
    ],
  },
  {
    id: "learning:tree-credit",
    source: "Dong et al. 2025, arXiv:2507.19849; Li et al. 2025, arXiv:2510.05592",
    behavior:
      "A prefix is credited with the mean of its descendants, a shared segment is trained once, and a trajectory of many rows counts once.",
    tests: [
      ...at(
        "advantages/trajectory-tree.test.ts",
        "a prefix gets the mean of its descendants, a branch its own advantage",
        "a trajectory of many rows counts once in the baseline",
      ),
      "packages/protocol/src/training-sample.test.ts > a token shared by two branches is trained in one and is context in the other",
      "packages/learning/src/rollouts/teams.test.ts > a joint advantage is shared by all members and centered over joint rollouts",
    ],
  },
  {
    id: "learning:tool-economy",
    source: "catalogue L14",
    behavior: "Cost is considered in four ways. Economy among correct rollouts gives +, −, 0, 0.",
    tests: [
      ...at(
        "advantages/adjusted-advantages.test.ts",
        "only correct rollouts compete in economy: + − 0 0 for rewards 1 1 0 0 and calls 1 5 0 9",
      ),
      ...at("rewards/shaped-rewards.test.ts", "the four economy switches"),
    ],
  },
  {
    id: "learning:rewards",
    source: "catalogue V02 to V04, L08, L09",
    behavior:
      "Rewards are pure functions of the judged trajectory. A missing verdict is unavailable, never 0.",
    tests: [
      ...at(
        "rewards/shaped-rewards.test.ts",
        "an unjudged component makes the total unavailable, not 0",
        "tier 1 failing zeroes the tiers below it",
        "a criterion without valid evidence counts as failed, and so do its children",
        "scripted probabilities give turn rewards that sum to the end-to-start difference",
      ),
      ...at(
        "rewards/verified-rewards.test.ts",
        "an invented quotation earns less than a real one and less than silence",
        "equivalent calls: order of keys, spelling of numbers and whitespace do not matter",
      ),
      ...at(
        "rewards/judge-port.test.ts",
        "a failed judge is a retryable failure, not a reward of 0",
      ),
    ],
  },
  {
    id: "learning:filters",
    source: "catalogue L11 to L13",
    behavior:
      "Groups, turns and rollouts are selected as in their papers: varied, clean if correct, recomposed.",
    tests: at(
      "filters/group-choice.test.ts",
      "groups with equal rewards are dropped",
      "turns with equal outcomes are dropped, turns at even odds stay",
      "kept successes have fewer tool errors; failures keep their distribution",
      "the priority batch has short successes and long failures; the rest goes to compensation",
      "predicted and true difficulty correlate without running every task",
    ),
  },
  {
    id: "learning:curricula",
    source: "catalogue L17",
    behavior:
      "Curricula begin and end exactly. The temperature follows an entropy target within its bounds.",
    tests: [
      ...at(
        "schedules/schedules.test.ts",
        "annealing has exact values at both ends and nothing between for a step",
        "the horizon grows by schedule and ends exactly",
        "the temperature reaches the entropy target, or stops at its bounds",
      ),
      ...at(
        "schedules/schedule-parts.test.ts",
        "easy tasks come first, and all tasks after the given share of the stage",
        "the turn limit grows from the first number to the last",
        "weights are exact at the first and last step; other weights stay unchanged",
      ),
    ],
  },
  {
    id: "learning:lineage",
    source: "catalogue L18",
    behavior:
      "A reward model is trained before a stage uses its rewards. A base is reused only if the same recipe made it, and is trained again otherwise.",
    tests: [
      "packages/learning/src/composition/trained-models.test.ts > a reward model must be trained before a stage uses it",
      "trainer/src/pretrain/environment-base.test.ts > an existing base is read, and a base of another recipe is made again",
    ],
  },
  {
    id: "learning:recipes-differ",
    source: "issue 5, recipes; the papers that their files name",
    behavior:
      "Every recipe of the policy-gradient table learns in each of its stages on a real engine, with its paper's difference visible in the numbers. Plain GRPO fails each of these checks. Each file says how it differs from the paper and why.",
    tests: [
      "trainer/src/expectations/recipe-update.test.ts > %s learns once in each of its stages",
      "trainer/src/expectations/recipe-update.test.ts > every recipe of the policy-gradient table has an expectation",
      "trainer/src/expectations/recipe-update.test.ts > a policy with staleness %i samples from the parameters that many updates ago",
      ...at("recipes/catalogue.test.ts", "every header names source, differences and reasons"),
    ],
  },
  {
    id: "learning:imitation-recipes-differ",
    source: "issue 5, recipes; the papers that their files name",
    behavior:
      "Recipes of the imitation and preference tables learn in each of their stages with their paper's difference, and plain imitation fails each of these checks. If they learn from pairs, swapped sides fail too. Recipes that merge combine models by the rule of their papers. A gate rejects a merge that solves fewer tasks than its better member.",
    tests: [
      "trainer/src/expectations/imitation-update.test.ts > %s learns once in each of its stages",
      "trainer/src/expectations/imitation-update.test.ts > %s changes only the parameters that it names",
      "trainer/src/expectations/imitation-update.test.ts > every recipe of the table has an expectation",
      "trainer/src/expectations/preference-update.test.ts > %s learns once in each of its stages",
      "trainer/src/expectations/preference-update.test.ts > every recipe of the table has an expectation",
      "trainer/src/expectations/preference-update.test.ts > the checks detect pairs with exchanged sides",
      "trainer/src/expectations/merging-update.test.ts > %s merges as its paper describes",
      "trainer/src/expectations/merging-update.test.ts > low-rank continual learning changes one kind of matrix, and a later task nothing along an earlier one",
      "trainer/src/expectations/merging-update.test.ts > domain adaptation merges two chains of text, demonstrations and pairs by spherical interpolation",
      "trainer/src/expectations/merging-update.test.ts > composable sparse changes do not overlap",
      "trainer/src/expectations/merging-update.test.ts > breadcrumbs removes the tails of each change",
      "trainer/src/expectations/merging-update.test.ts > RAM averages entries that both changed and scales entries that one changed",
      "trainer/src/expectations/merging-update.test.ts > a gate keeps the better member if the merge is worse: $rates",
      "trainer/src/expectations/merging-update.test.ts > every recipe that ends in a merge is tested here",
    ],
  },
  {
    id: "learning:search",
    source: "Kocsis and Szepesvári 2006; arXiv:2408.07199, 2501.11425, 2410.02052",
    behavior:
      "A search over the turns of a task continues where UCT or PUCT says, with counts and values that agree with a plain reference. Its result can be rendered as one rollout that includes the backtracking as text.",
    tests: [
      ...at(
        "rollouts/tree-search.test.ts",
        "$kind selects and counts like the plain twin",
        "a search gets further than the same number of rollouts from the start",
      ),
      ...at(
        "rollouts/retelling.test.ts",
        "a revision leaves the failure at its first different turn, in the pair with the longest prefix",
        "a search is retold branch by branch, with the shortest success last",
        "every retold part starts at a state that was retold before, or at the task",
      ),
    ],
  },
  {
    id: "learning:stored-transitions",
    source: "Watkins 1989; arXiv:2006.04779, 2303.05479, 2106.06860, 2306.03362",
    behavior:
      "A critic fitted to TD targets finds the exact values of a small Markov chain. Conservatism lowers the values of actions that were not taken, calibrated to the earned return. The best of several proposals is imitated.",
    tests: [
      ...at(
        "advantages/chunk-targets.test.ts",
        "targets over chunks of %i steps give the exact values",
        "a critic that treats truncation as termination is wrong",
      ),
      ...at(
        "advantages/temporal-difference.test.ts",
        "a target is the reward plus the value of the next action; at the end it is the outcome",
        "a chunk includes the rewards of all its turns; the best next action is taken among equal states",
        "the penalty lowers values of proposals and raises those of logged actions; calibration stops it",
        "only the proposal with the highest value in a state is imitated",
      ),
    ],
  },
  {
    id: "learning:reward-models",
    source: "issue 5, vocabulary (state `rm`, `iprm`); Bradley and Terry 1952; arXiv:2412.01981",
    behavior:
      "A stage names the model that it trains. A reward model is an adapter with a value head over the shared base, trained on comparisons or outcomes, and gives rewards only after training. Losses of models and of policies cannot be swapped.",
    tests: [
      "trainer/src/expectations/several-models.test.ts > a reward model fitted to outcomes distinguishes unseen successes and failures",
      ...at(
        "composition/trained-models.test.ts",
        "a reward model must be trained before a stage uses it",
        "a reward model's loss does not fit a policy stage, and the reverse",
      ),
    ],
  },
  {
    id: "learning:roles",
    source:
      "issue 5, vocabulary (state `role-adapters`, `slow-copy`, `opponents`; rollout `team`, `self-play`)",
    behavior:
      "Roles are adapters over one base. Each turn is sampled under its role's adapter, and each token's derivative reaches only its role's engine. Joint rollouts share an environment or a relay, sides of a match have opposite rewards, and copies and averages follow their source.",
    tests: [
      "trainer/src/expectations/several-models.test.ts > a role's tokens belong to its engine and change that engine alone",
      "trainer/src/expectations/several-models.test.ts > a copy starts equal to its source, and an average follows by its share",
      "test/contract/role-rollout.test.ts > each turn of a shared conversation belongs to its role and scores the same under the role's adapter",
      "packages/environments/src/wrappers/shared-environment.test.ts > roles that share an environment act in rounds and see a round's results when all have acted",
      ...at(
        "rollouts/teams.test.ts",
        "a team's reward is that of its joint rollout",
        "one side's gain is the other's loss; with equal results, fewer calls win",
        "a joint advantage is shared by all members and centered over joint rollouts",
        "members move to the next role after each period",
      ),
      ...at("composition/trained-models.test.ts", "the roles of a stage name what it trains"),
    ],
  },
  {
    id: "learning:proposals",
    source: "issue 5, vocabulary (rollout `self-play`, reward `frontier`, filter `answerable`)",
    behavior:
      "A policy proposes tasks whose answers the environment computes. Unreadable tasks and tasks without a verifiable answer earn nothing, held-out tasks cannot be proposed, and the proposer earns most if half of the rollouts succeed.",
    tests: [
      "packages/environments/src/proposals.test.ts > %s: a careful solver solves every task of a careful proposer, and careless proposals fail",
      "packages/environments/src/proposals.test.ts > a question is parsed to its path, in the environment of the reference",
      ...at(
        "rollouts/teams.test.ts",
        "a proposer's reward is highest at half successes, and 0 for an unreadable task",
        "rollouts at unreadable tasks are dropped; the others are compared within their task",
      ),
    ],
  },
  {
    id: "learning:evolution-recipe",
    source: "issue 5, learning without gradients; Evolution Strategies at Scale, arXiv:2509.24372",
    behavior:
      "A recipe without gradients perturbs B of the adapter by seeds, evaluates each perturbation by its trajectories, and moves towards higher rewards. Equal rewards move nothing.",
    tests: [
      "trainer/src/expectations/evolve-update.test.ts > parameters move in the direction of higher rewards, sign %i",
      "trainer/src/expectations/evolve-update.test.ts > equal rewards of all perturbations change nothing",
      "trainer/src/expectations/evolve-update.test.ts > an adapter's A and tensors outside the place are not perturbed, and a whole model is",
      "trainer/src/expectations/evolve-update.test.ts > tensors that the noise does not select are neither perturbed nor changed",
      "trainer/src/expectations/evolve-update.test.ts > a place without tensors is refused before anything is perturbed",
    ],
  },
  {
    id: "learning:list",
    source: "issue 5, must show: the list",
    behavior:
      "`--list --json` lists every row of the literature once with its state, reports as missing only parts that no recipe has, and gives the environment, the evidence page if there is one, and the test of each runnable row. Recipes without a row are listed as well.",
    tests: [
      "trainer/src/recipes/recipe-places.test.ts > the list has every row of the literature once, with its state and what is missing",
      "trainer/src/recipes/recipe-places.test.ts > every recipe has an environment that exists and a test that covers it",
      "trainer/src/recipes/recipe-places.test.ts > a recipe is tested in the environment that its needs choose",
      ...at(
        "recipes/catalogue.test.ts",
        "a row without a recipe lists its missing parts, or else the missing recipe",
        "%s has every part that its row names",
        "every row of the literature can be run",
      ),
      "trainer/src/commands/program.test.ts > train lists all recipes under a header, or one recipe with its parts",
    ],
  },
  {
    id: "learning:run-options",
    source: "issue 5, recipes",
    behavior:
      "A recipe that does not fit an environment, or a group of one, is refused before a base is trained. `--out` saves the adapter, and each role's, in PEFT's layout. `--adapter` starts the policy from an adapter. Options for the learning rate and AdamW, the LoRA alpha and the microbatch replace the recipe's values.",
    tests: [
      "trainer/src/recipes/environment-requirements.test.ts > every recipe fits the environment that the list names for it",
      "trainer/src/recipes/environment-requirements.test.ts > %s in %s with %o is refused",
      "trainer/src/commands/program.test.ts > train reports that a recipe does not fit an environment before it makes a base",
      "trainer/src/options/adapter-options.test.ts > adapters are saved with those of the roles, and a run that starts from one gives the same output",
      "trainer/src/options/schedule-options.test.ts > options of a recipe's schedule replace its values in every stage, also of merged models",
      "trainer/src/loop/recipe-engines.test.ts > microbatches limit the tokens of a forward pass, and the outputs stay the same",
      "trainer/src/commands/program.test.ts > train uses the options of the optimizer and the adapter, and resumes only with the same ones",
      "trainer/src/options/adapter-options.test.ts > existing folders are kept, and a recipe that learns only text has no adapter to save",
    ],
  },
  {
    id: "learning:resume",
    source: "issue 13, 6.1",
    behavior:
      "`npm run train` resumes after Ctrl-C or a kill, bit for bit. A run folder with other settings is refused.",
    tests: [
      "trainer/src/checkpoint/checkpoint.test.ts > another process reads engines, settings, counters and values back exactly",
      "trainer/src/checkpoint/checkpoint.test.ts > a changed byte of %s is noticed",
      "trainer/src/checkpoint/earlier-releases.test.ts > the state folder of a trainer of %s",
      "trainer/src/checkpoint/resumed-commands.test.ts > simulate goes on with the version that its policy had",
      "trainer/src/checkpoint/resumed-commands.test.ts > imitate goes on with the same adapter, and refuses other settings",
      "trainer/src/loop/resumed-stages.test.ts > %s is stopped after each of its steps",
      "trainer/src/commands/program.test.ts > a stopped train finishes its step, and the same command resumes it",
      "trainer/src/checkpoint/kept-run.test.ts > an unfinished run with other settings is refused, and the error names them",
      "trainer/src/checkpoint/kept-run.test.ts > a damaged %s is refused by name",
    ],
  },
  {
    id: "learning:listed-recipes-run",
    source: "issue 13, 6.4",
    behavior: "Every listed recipe runs in its own environment by its name alone.",
    tests: [
      "trainer/src/loop/short-run.test.ts > %s runs",
      "trainer/src/loop/short-run.test.ts > the sample contains only listed recipes",
    ],
  },
  {
    id: "learning:rewarded-once",
    source: "issue 13, 6.2",
    behavior: "Rewards and filters are called once, with the arguments of the step that learns.",
    tests: [
      "trainer/src/check/waiting-step.test.ts > each group is rewarded once, at the step that trains on it",
      "trainer/src/check/waiting-step.test.ts > filters judge a batch once, as it is trained on",
      "trainer/src/check/waiting-step.test.ts > a filter that changes with the step decides with the context of the training step",
    ],
  },
  {
    id: "learning:divided-work",
    source: "issue 5, recipes; Memory-R1, SPICE, DualTune, AgentSwift",
    behavior:
      "The answering role sees the stored memory, but not the lines it was made from. The solving role does not see the document of the task. Within a call the adapter changes exactly at the token that names the tool. The most promising designs are kept before they run.",
    tests: [
      "trainer/src/rollouts/folded-turns.test.ts > each turn has only its own message, and the role follows from it",
      "packages/environments/src/environment-verifiers.test.ts > diary: the answer is the fact that holds at the end, and memory changes only by operations",
      "packages/environments/src/proposals.test.ts > a sum from the ledger uses only numbers that were read, and its solver has no documents",
      "trainer/src/rollouts/divided-calls.test.ts > the first part of a call names the tool, and the second part contains its arguments",
      "test/contract/role-rollout.test.ts > within a turn, the role changes where the call is divided, and not if no tool is named",
      ...at(
        "gradient-free/design-search.test.ts",
        "rewards of a design update similar designs and reduce their uncertainty",
        "without curiosity the search exploits the best design; with curiosity it explores",
        "only the most promising designs without rollouts stay; designs with rollouts always stay",
      ),
    ],
  },
  {
    id: "learning:engines-of-recipes",
    source: "docs/design.md, decision 2",
    behavior:
      "The engines of every recipe open over one base on this machine. Capabilities that a policy's engine lacks are refused by name.",
    tests: [
      "trainer/src/loop/recipe-engines.test.ts > the engines of every recipe open",
      "trainer/src/loop/recipe-engines.test.ts > a critic loss without a critic is refused",
    ],
  },
];
