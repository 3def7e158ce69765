/** Requirements of losses, corrections, KL forms, merging and evolution strategies. Pure data. */
import type { Requirement } from "./requirement.ts";

const at = (file: string, ...names: readonly string[]): string[] =>
  names.map((name) => `packages/learning/src/${file} > ${name}`);

export const LOSS_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "learning:policy-losses",
    source:
      "arXiv:1707.06347, 1912.09729, 2505.07291, 2506.13585, 2507.18071, 2507.20673, 2511.20347, 2602.05261, 2602.10693, 2510.14545, 2505.22617, 2509.22601; prime-rl; Tinker",
    behavior:
      "PPO, clip higher, dual and two-sided clip, importance sampling, REINFORCE, CISPO, SAPO, DPPO, IPO mask, AEPO, KL-Cov, self-imitation, GSPO in both forms, LUSPO, GMPO and VESPO have the values of their formulas and the derivatives of a twin that holds detached parts fixed.",
    tests: [
      ...at(
        "losses/policy/policy-losses.test.ts",
        "$name: value and derivatives equal those of its naive twin",
        "control: the derivative check fails if a detached quantity is differentiated",
        "$name: on-policy, nothing is clipped and the loss is REINFORCE",
        "$name: a fully masked minibatch and zero weights give derivatives 0",
      ),
      ...at(
        "losses/policy/policy-losses-golden.test.ts",
        "%s under every aggregation",
        "%s agrees with the reference value",
        "asymmetric bounds: 1.25 passes with an upper bound of 0.28, 0.75 is clipped with a lower bound of 0.2",
      ),
      ...at(
        "losses/policy/entropy-preserving-clip.test.ts",
        "an uncertain clipped token keeps its gradient; the value of the loss is unchanged",
      ),
    ],
  },
  {
    id: "learning:policy-losses-learn",
    source: "issue 5, item 1",
    behavior:
      "Every policy loss learns, also on stale samples, and does not learn from swapped advantages. Every combination with a correction and an aggregation moves the policy by finite amounts.",
    tests: at(
      "losses/policy/policy-losses-learn.test.ts",
      "%s learns, but not from shuffled advantages",
      "%s: learning works with samplers 1, 4 and 8 steps old",
      "every loss with every correction and aggregation moves the table by finite amounts",
    ),
  },
  {
    id: "learning:named-losses",
    source: "issue 5: parts composed freely",
    behavior:
      "Losses and corrections that no row of the literature uses are parts as well. In a recipe each has the value and the derivatives of its formula, and those that need one number per sequence refuse several. An entropy bonus may follow a target, and a KL weight a budget. The optimal token baseline, distillation over a teacher's candidates and the log-linear proximal policy read their inputs from the engine, the teacher and the versions, or refuse.",
    tests: [
      ...at(
        "losses/policy/adaptive-entropy-part.test.ts",
        "steps below the entropy target get a bonus of the strength so far; other steps get none",
        "the bonus does not compile without its state",
      ),
      ...at(
        "losses/engine-numbers.test.ts",
        "otb computes its formula from engine outputs, also over samples of lengths %j",
        "otb names the engine outputs that it needs and refuses to run without them",
        "distill-candidates: derivatives match its value under token shares and weights",
        "distill-candidates needs a teacher to compile and the teacher's candidates to run",
        "log-linear interpolates between sampler and policy by the share of steps taken",
        "log-linear is the wrapped loss with the interpolated policy held fixed",
      ),
      ...[
        "otb gets the engine's outputs from before the step and learns with them",
        "a teacher's top-k tokens are its most probable ones, and the policy moves toward them",
        "log-linear: the first step is that of its loss, later steps use an estimate",
        "a KL budget in the %s: the weight rises above the target divergence and falls below it",
      ].map((name) => `trainer/src/update/engine-numbers.test.ts > ${name}`),
      ...at(
        "losses/named-losses.test.ts",
        "$part in a recipe equals its formula",
        "control: no two formulas agree here, and none agrees with the unmasked loss",
        "a mask is listed with the loss that it wraps",
        "a sequence-level ratio accepts weights per sequence, not per token",
      ),
    ],
  },
  {
    id: "learning:aggregation",
    source: "arXiv:2402.03300, 2503.14476, 2503.20783; SkyRL; Agent Lightning",
    behavior:
      "Shares come from the whole minibatch before any rejection, so that microbatches add up and omitted tokens still count.",
    tests: [
      ...at(
        "losses/aggregation.test.ts",
        "%o gives each token its share of the whole minibatch",
        "shares of every true mean add up to 1 and are 0 outside the mask",
      ),
      ...at(
        "losses/policy/policy-losses.test.ts",
        "$name: microbatches add up to the minibatch and padding adds nothing",
      ),
      ...at(
        "corrections/corrections.test.ts",
        "dropped tokens stay in the denominator: a mask does not scale the derivatives of other tokens",
      ),
    ],
  },
  {
    id: "learning:corrections",
    source: "verl, SkyRL, AReaL arXiv:2505.24298, arXiv:2510.18855, 2510.01161, 2512.02556",
    behavior:
      "Sequence weights, band masks, IcePop, OPSM, M2PO, outlier veto and divergence masks agree with reference values. Bounds are ratios. Weighted stale samples have the gradient of fresh ones.",
    tests: [
      ...at(
        "corrections/corrections.test.ts",
        "sequence weights and effective sample size agree with the reference",
        "band masks and IcePop agree with the reference",
        "bounds are ratios, not their inverses: an asymmetric band keeps 1.9 and drops 0.6",
        "one extreme ratio drops its own sequence only",
        "OPSM drops only sequences of negative advantage that became less likely",
        "M2PO drops the fewest tokens, the largest first, until the second moment is within the limit",
        "the log-linear proximal policy interpolates between the two by versions",
        "with weights, the expected gradient on stale samples equals that on fresh ones; without, it does not",
        "%s: on-policy, every weight is 1, and 0 outside the mask, with or without padding",
      ),
      ...at(
        "corrections/token-choices.test.ts",
        "the covariance mask drops a share of the tokens in its range, depending on its seed",
      ),
    ],
  },
  {
    id: "learning:kl",
    source: "Schulman 2020; Tang and Munos 2025, arXiv:2506.09477; arXiv:2512.02556",
    behavior:
      "On the policy's own samples, k2 and ratio-weighted k3 have the exact gradient of the divergence, and k3 has its value.",
    tests: at(
      "kl/kl.test.ts",
      "k3 and ratio-weighted k3 agree with the reference",
      "on the policy's own samples, k2 and ratio-weighted k3 have the gradient of the KL; k3 and k1 do not",
      "the estimators' means under the policy are the exact divergence for k1 and k3",
      "k3 with the gradient of k2 has the value of one and the derivative of the other",
    ),
  },
  {
    id: "learning:preferences",
    source: "arXiv:2305.18290, 2403.00409, 2310.12036, 2402.01306, 2403.07691, 2408.06266",
    behavior:
      "DPO (conservative, robust), IPO, KTO, ORPO, APO-zero and ranking agree with reference values. A preference compares answers, steps or trajectories.",
    tests: at(
      "losses/preference/preference-losses.test.ts",
      "%s agrees with the reference value",
      "%s: its derivatives match its value, for answers, steps and trajectories",
      "a preference between steps moves only those steps",
      "kto needs no pairs: a liked answer rises, a disliked one falls",
      "ranking: derivatives match its value, at the last loss token; a margin raises the loss",
    ),
  },
  {
    id: "learning:drawn-preferences",
    source: "arXiv:2505.19223",
    behavior:
      "Preferences estimated from sampled tokens agree with DPO on average, with less noise if policy and reference share a sample.",
    tests: at(
      "losses/preference/variance-reduced-preference.test.ts",
      "drawn tokens estimate the margin without bias; a shared draw has far less variance",
      "with every token drawn it equals DPO",
      "derivatives match its value under the same draw; exchanging the sides flips their signs",
    ),
  },
  {
    id: "learning:critics",
    source: "arXiv:1707.06347, 2110.06169, 2006.04779, 2303.05479, 2106.06860",
    behavior:
      "Value losses, conservatism and the constrained actor have the derivatives of their formulas.",
    tests: at(
      "losses/value/value-losses.test.ts",
      "%s: value and derivatives equal those of its naive twin",
      "the conservative penalty: derivatives match, equal values cost log N, far lower ones 0",
      "the constrained actor: derivatives match, scale-free in its advantages, imitation at advantage 0",
    ),
  },
  {
    id: "learning:imitation",
    source: "catalogue L02; arXiv:2508.05629, 2306.13649, 1908.04319",
    behavior:
      "DFT's derivative is p times the cross-entropy's. Observations, text and teachers are each learned over their own token counts.",
    tests: [
      ...at(
        "losses/imitation/imitation-losses.test.ts",
        "DFT: each token's derivative is its probability times that of the cross-entropy",
        "observations have a loss of their own, averaged over their own count",
        "distillation on sampled tokens: the log-prob gap is a detached advantage",
        "distillation over candidates ($direction, $support): the divergence matches its derivatives",
        "unlikelihood: derivatives are those of −log(1 − π), finite at certainty",
      ),
      ...at("losses/span-mask.test.ts", "only sampled tokens of selected spans stay"),
    ],
  },
  {
    id: "learning:trajectory-balance",
    source: "Malkin et al. 2022, arXiv:2201.13259",
    behavior:
      "Trajectory balance is 0 for a policy in proportion to reward, with or without a learned log Z.",
    tests: at(
      "losses/policy/trajectory-balance.test.ts",
      "agrees with the reference value",
      "the group's log Z makes its gaps sum to 0; a distribution that fits its rewards has loss 0",
    ),
  },
  {
    id: "learning:merging",
    source: "catalogue L23; arXiv:2212.04089, 2312.06795, 2601.13572",
    behavior:
      "Disjoint changes are not shrunk to 1/N, a merge of a model with itself changes nothing, stacked adapters add exactly, and a merge below its best parent is refused.",
    tests: at(
      "merging/merging.test.ts",
      "every method merges a model with itself to the same model",
      "RAM: disjoint changes are not shrunk, shared ones are averaged",
      "breadcrumbs cut both tails",
      "stacked adapters change a weight by exactly the sum of their changes",
      "a merge below its best parent is refused, and the best other merge is taken",
      "untrained parameters are restored bit for bit",
    ),
  },
  {
    id: "learning:evolution-strategies",
    source: "catalogue L26; arXiv:1703.03864, 2509.24372",
    behavior: "An update rebuilt from seeds equals one from stored noise, and climbs a toy reward.",
    tests: at(
      "gradient-free/evolution-strategies.test.ts",
      "an update rebuilt from seeds equals one from stored noise",
      "both fitness forms climb a toy reward; with shuffled rewards they do not",
    ),
  },
];
