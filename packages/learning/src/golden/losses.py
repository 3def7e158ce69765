"""Golden values of losses, corrections and KL estimators of packages/learning, from the formulas in
plain Python (no dependency), as an oracle that shares no code with the TypeScript.

Run: python3 packages/learning/src/golden/losses.py > packages/learning/src/golden/losses.json
"""
import json
import platform
from math import exp, log

COMMAND = "python3 packages/learning/src/golden/losses.py > packages/learning/src/golden/losses.json"
# Two sequences of four tokens; mask 0 = a given token.
policy = [[-0.10, -1.20, -0.50, -2.00], [-0.70, -0.30, -3.00, -0.05]]
proximal = [[-0.20, -1.00, -0.50, -2.60], [-0.60, -0.90, -2.20, -0.05]]
behavior = [[-0.25, -1.05, -0.45, -2.50], [-0.55, -1.60, -2.10, -0.05]]
mask = [[1, 1, 0, 1], [1, 1, 1, 0]]
A = [1.0, -0.5]
L_MAX = 4
CELLS = [(i, t) for i in range(2) for t in range(4) if mask[i][t]]


def mean(xs):
    return sum(xs) / len(xs)


def sigma(x):
    return 1 / (1 + exp(-x))


def clip(x, low, high):
    return max(low, min(high, x))


def aggregated(term):
    sums = [sum(term(i, t) for t in range(4) if mask[i][t]) for i in range(2)]
    return {
        "token-mean": sum(sums) / len(CELLS),
        "seq-mean-token-sum": mean(sums),
        "seq-mean-token-mean": mean([sums[i] / sum(mask[i]) for i in range(2)]),
        "seq-mean-token-sum-norm": sum(sums) / (2 * L_MAX),
    }


def r(i, t):
    return exp(policy[i][t] - proximal[i][t])


def surrogate(low, high, ceiling=None, cap=None):
    def parts(i, t):
        ratio = min(r(i, t), cap) if cap else r(i, t)
        return -A[i] * ratio, -A[i] * clip(r(i, t), 1 - low, 1 + high)

    def term(i, t):
        value = max(parts(i, t))
        return min(value, -A[i] * ceiling) if ceiling and A[i] < 0 else value
    return {
        "loss": aggregated(term),
        "clipFraction": mean([parts(i, t)[1] > parts(i, t)[0] for i, t in CELLS]),
    }


def sequence_mean(later, earlier, i):
    return sum((later[i][t] - earlier[i][t]) * mask[i][t] for t in range(4)) / sum(mask[i])


s = [exp(sequence_mean(policy, proximal, i)) for i in range(2)]


def sequence_surrogate(low, high, times_length):
    terms = [max(-A[i] * s[i], -A[i] * clip(s[i], 1 - low, 1 + high)) for i in range(2)]
    return mean([terms[i] * (sum(mask[i]) if times_length else 1) for i in range(2)])


def geometric_mean(bound):
    values = []
    for i in range(2):
        side = 1 if A[i] > 0 else -1
        total = 0.0
        for t in range(4):
            if mask[i][t]:
                d = policy[i][t] - proximal[i][t]
                total += side * min(side * d, side * clip(d, -bound, bound))
        values.append(-A[i] * exp(total / sum(mask[i])))
    return mean(values)


def vespo():
    total = 0.0
    for i in range(2):
        k, rate = (2, 3) if A[i] >= 0 else (3, 2)
        log_w = sequence_mean(policy, behavior, i) * sum(mask[i])
        phi = exp(rate + k * log_w - rate * exp(log_w))
        total += sum(-phi * A[i] * policy[i][t] for t in range(4) if mask[i][t])
    return total / len(CELLS)


def probability_gap(away, threshold):
    total = dropped = 0.0
    for i, t in CELLS:
        moved = exp(policy[i][t]) - exp(behavior[i][t])
        d = policy[i][t] - behavior[i][t]
        out = (A[i] > 0 and moved > threshold) or (A[i] < 0 and moved < -threshold) if away else abs(moved) > threshold
        dropped += out
        total += (0 if out else -A[i] * exp(d)) + 1e-3 * d * d
    return {"loss": total / len(CELLS), "clipFraction": dropped / len(CELLS)}


# Corrections: what sampled, against the trainer's policy at the step's start.
rho = [proximal[i][t] - behavior[i][t] for i, t in CELLS]
w = [min(exp(x), 2.0) for x in rho]
sequence_sums = [sum((proximal[i][t] - behavior[i][t]) * mask[i][t] for t in range(4)) for i in range(2)]
to_reference = [proximal[i][t] - policy[i][t] for i, t in CELLS]
# Preference losses: sums of log-probs of a chosen and a rejected answer, policy and reference.
pc, pr, rc, rr, beta, eps = -10.0, -14.0, -11.0, -13.0, 0.1, 0.1
h = (pc - rc) - (pr - rr)
kl = 0.3
# ORPO: mean log-probs of the two answers.
orpo_c, orpo_r = -0.4, -0.9
odds = (orpo_c - log(1 - exp(orpo_c))) - (orpo_r - log(1 - exp(orpo_r)))

# KTO as TRL has it: row b's prompt with row b - 1's completion, the batch mean of the log-ratios of these
# mismatched pairs clamped at 0, under a policy and a reference that are tables of bigrams.
bigram_policy = [[-0.4, -1.7, -2.0], [-1.0, -0.9, -1.6], [-1.3, -1.0, -1.0]]
bigram_reference = [[-1.0, -1.1, -1.2], [-1.2, -0.8, -1.4], [-1.1, -1.5, -0.8]]
kto_prompts = [[0], [1, 2], [2]]
kto_completions = [[1, 0], [0], [0, 0, 2]]
kto_desirable = [True, False, True]
kto_weights = [2.0, 0.5, 3.0]


def log_ratio(prompt, completion):
    row = prompt + completion
    return sum(bigram_policy[row[t - 1]][row[t]] - bigram_reference[row[t - 1]][row[t]]
               for t in range(len(prompt), len(row)))


def kto_batch(kto_beta):
    estimate = max(0.0, mean([log_ratio(kto_prompts[b], kto_completions[b - 1]) for b in range(3)]))
    own = [log_ratio(kto_prompts[b], kto_completions[b]) for b in range(3)]

    def loss(point):
        return mean([1 - sigma(kto_beta * (own[b] - point if kto_desirable[b] else point - own[b]))
                     for b in range(3)])

    # The same if rows weigh differently: a pair weighs the product, and the estimate is normalized by the pairs' weights.
    pairs = [kto_weights[b] * kto_weights[b - 1] for b in range(3)]
    weighted = max(0.0, sum(pairs[b] * log_ratio(kto_prompts[b], kto_completions[b - 1])
                            for b in range(3)) / sum(pairs))
    weighted_loss = mean([kto_weights[b] * (1 - sigma(kto_beta * (
        own[b] - weighted if kto_desirable[b] else weighted - own[b]))) for b in range(3)])

    return {"policy": bigram_policy, "reference": bigram_reference, "prompts": kto_prompts,
            "completions": kto_completions, "desirable": kto_desirable, "beta": kto_beta,
            "divergence": estimate, "kto": loss(estimate), "apoZero": loss(0.0),
            "weights": kto_weights, "weightedDivergence": weighted, "weightedKto": weighted_loss}


print(json.dumps({
    "by": "plain Python " + platform.python_version(),
    "command": COMMAND,
    "dtype": "float64",
    "seed": None,
    "inputs": {
        "policyLogProbs": policy, "proximalLogProbs": proximal, "behaviorLogProbs": behavior,
        "lossMask": mask, "advantages": A, "maxLength": L_MAX,
    },
    "clipped": surrogate(0.2, 0.2),
    "clipHigher": surrogate(0.2, 0.28),
    "dualClip3": surrogate(0.2, 0.2, ceiling=3.0),
    "dualClip1.5": surrogate(0.2, 0.2, ceiling=1.5),
    "twoSided1.5": surrogate(0.2, 0.2, cap=1.5),
    "importanceSampling": mean([-A[i] * exp(policy[i][t] - behavior[i][t]) for i, t in CELLS]),
    "reinforce": mean([-A[i] * policy[i][t] for i, t in CELLS]),
    "cispo": mean([-clip(r(i, t), 0.8, 1.28) * A[i] * policy[i][t] for i, t in CELLS]),
    "cispoAbsolute1.5": mean([-min(r(i, t), 1.5) * A[i] * policy[i][t] for i, t in CELLS]),
    "softGate": aggregated(lambda i, t: -A[i] * sigma((1.0 if A[i] > 0 else 1.05) * (r(i, t) - 1)) * 4
                           / (1.0 if A[i] > 0 else 1.05))["seq-mean-token-mean"],
    "sequenceRatio": {"ratios": s, "loss": sequence_surrogate(3e-4, 4e-4, False)},
    "sequenceRatioTimesLength": sequence_surrogate(2e-3, 2.5e-3, True),
    "geometricMean0.4": geometric_mean(0.4),
    "variationalWeight": vespo(),
    "probabilityGapAway0.2": probability_gap(True, 0.2),
    "probabilityGapEither0.1": probability_gap(False, 0.1),
    "trajectoryBalance": mean([(0.7 + sum(policy[i][t] for t in range(4) if mask[i][t]) - lr) ** 2
                               for i, lr in enumerate([0.2, -1.0])]),
    "tokenWeights2": {"weights": w, "effectiveSampleSize": sum(w) ** 2 / (len(w) * sum(x * x for x in w)),
                      "normalised": [x / mean(w) for x in w]},
    "sequenceWeights2": [min(exp(x), 2.0) for x in sequence_sums],
    "geometricRatios": [exp(sequence_sums[i] / sum(mask[i])) for i in range(2)],
    "keptInBand0.5to2": [int(0.5 <= exp(x) <= 2) for x in rho],
    "sequenceK2": [mean([0.5 * (proximal[i][t] - behavior[i][t]) ** 2 for t in range(4) if mask[i][t]]) for i in range(2)],
    "sequenceK3": [mean([exp(proximal[i][t] - behavior[i][t]) - 1 - (proximal[i][t] - behavior[i][t])
                         for t in range(4) if mask[i][t]]) for i in range(2)],
    "offPolicyDivergence": [mean([behavior[i][t] - policy[i][t] for t in range(4) if mask[i][t]]) for i in range(2)],
    "chiSquared": mean([exp(2 * x) for x in rho]) - 1,
    "logLinearProximal0.5": [[behavior[i][t] + 0.5 * (policy[i][t] - behavior[i][t]) for t in range(4)] for i in range(2)],
    "klOfProximal": {"k1": mean([-x for x in rho]), "k2": mean([0.5 * x * x for x in rho]),
                     "k3": mean([exp(x) - x - 1 for x in rho])},
    "k3ToReference": mean([exp(x) - x - 1 for x in to_reference]),
    "k3Unbiased": mean([exp(-x) * (exp(x) - x - 1) for x in to_reference]),
    "preference": {
        "sums": {"policyChosen": pc, "policyRejected": pr, "referenceChosen": rc, "referenceRejected": rr},
        "beta": beta, "epsilon": eps,
        "dpo": -log(sigma(beta * h)),
        "conservative": -(1 - eps) * log(sigma(beta * h)) - eps * log(sigma(-beta * h)),
        "robust": (-(1 - eps) * log(sigma(beta * h)) + eps * log(sigma(-beta * h))) / (1 - 2 * eps),
        "ipo": (h - 1 / (2 * beta)) ** 2,
        "ktoKl": kl,
        "ktoDesirable": 1 - sigma(beta * ((pc - rc) - kl)),
        "ktoUndesirable": 1 - sigma(beta * (kl - (pr - rr))),
        "apoZero": (1 - sigma(beta * (pc - rc))) + sigma(beta * (pr - rr)),
        "orpo": {"chosen": orpo_c, "rejected": orpo_r, "lambda": 0.1,
                 "loss": -orpo_c - 0.1 * log(sigma(odds))},
    },
    "mismatchedPairs": kto_batch(0.5),
}, indent=1))
