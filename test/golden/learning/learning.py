"""Golden values of packages/learning, from the formulas in plain Python (no dependencies).

Run: python3 test/golden/learning/learning.py > test/golden/learning/learning.json
"""
import json
import platform
from math import exp, sqrt

COMMAND = "python3 test/golden/learning/learning.py > test/golden/learning/learning.json"
# Two sequences of four tokens; mask 0 = an observed token.
policy = [[-0.10, -1.20, -0.50, -2.00], [-0.70, -0.30, -3.00, -0.05]]
proximal = [[-0.20, -1.00, -0.50, -2.60], [-0.60, -0.90, -2.20, -0.05]]
behavior = [[-0.25, -1.05, -0.45, -2.50], [-0.55, -1.60, -2.10, -0.05]]
mask = [[1, 1, 0, 1], [1, 1, 1, 0]]
advantages = [1.0, -0.5]
CELLS = [(i, t) for i in range(2) for t in range(4) if mask[i][t]]


def surrogate(lower, upper, weights=None):
    total = clipped = 0.0
    for n, (i, t) in enumerate(CELLS):
        ratio = exp(policy[i][t] - proximal[i][t])
        open_ = -advantages[i] * ratio
        bounded = -advantages[i] * max(1 - lower, min(1 + upper, ratio))
        clipped += bounded > open_
        total += (weights[n] if weights else 1.0) * max(open_, bounded)
    return {"loss": total / len(CELLS), "clipFraction": clipped / len(CELLS)}


log_ratios = [proximal[i][t] - behavior[i][t] for i, t in CELLS]
weights = [min(exp(x), 2.0) for x in log_ratios]
rewards = [1.0, 0.0, 0.0, 0.5]
G = len(rewards)
mean = sum(rewards) / G
squares = sum((r - mean) ** 2 for r in rewards)

print(json.dumps({
    "by": "plain Python " + platform.python_version(),
    "command": COMMAND,
    "dtype": "float64",
    "seed": None,
    "inputs": {
        "policyLogProbs": policy, "proximalLogProbs": proximal, "behaviorLogProbs": behavior,
        "lossMask": mask, "advantages": advantages, "rewards": rewards,
    },
    "surrogate": {
        "0.2/0.2": surrogate(0.2, 0.2),
        "0.2/0.28": surrogate(0.2, 0.28),
        "0.1/0.4": surrogate(0.1, 0.4),
    },
    "weightedSurrogate": surrogate(0.2, 0.28, weights),
    "truncatedWeights": {
        "cap": 2.0, "weights": weights, "mean": sum(weights) / len(weights),
        "effectiveSampleSize": sum(weights) ** 2 / (len(weights) * sum(w * w for w in weights)),
    },
    "crossEntropy": -sum(policy[i][t] for i, t in CELLS) / len(CELLS),
    "advantages": {
        "none": [r - mean for r in rewards],
        "population": [(r - mean) / sqrt(squares / G) for r in rewards],
        "sample-1e-6": [(r - mean) / (sqrt(squares / (G - 1)) + 1e-6) for r in rewards],
        "sample-1e-4": [(r - mean) / (sqrt(squares / (G - 1)) + 1e-4) for r in rewards],
    },
}, indent=1))
